"""A stage with as many names as wanted: entities with a label, one or two aliases, a description and four facts."""

from benchmarks.large_stage import write_stage
from factmill.home import Home

NAMES_AN_ENTITY = 2.5

_FACTS = """
    select
        [19, 57, 131, 175, 106, 136, 27, 364][1 + n % 8]::integer as predicate,
        (1 + n // 4)::bigint as subject,
        (1 + hash(n, 'object') % $n_labels)::bigint as object,
        null::varchar as value,
        'entity' as kind,
        null::varchar as lang,
        null::struct(name varchar, object bigint, value varchar)[] as qualifiers,
        {'member': 0, 'offset': n} as place
    from range($n_facts) facts(n)
"""
_ENTITIES = """
    select
        n + 1 as id,
        'The ' || name_of(n + 1_000_000_000) as label,
        if(n % 2 = 0, [name_of(n + 2_000_000_000)], [name_of(n + 3_000_000_000), name_of(n // 2)]) as aliases,
        (1900 + n % 120) || ' film by ' || name_of(n % 100_000) || ' of ' || word_of(n % 1_000) as description,
        ['Q7366', 'Q5'] as types,
        (hash(n, 'popular') % 1000)::bigint as n_statements,
        0::bigint as in_degree,
        null::bigint as sitelinks,
        null::varchar as wikipedia_title,
        []::varchar[] as same_as,
        (hash(n, 'popular') % 1000)::bigint as popularity
    from range($n_labels) entities(n)
    where $n_facts is not null
"""


def write_named_stage(home: Home, n_names: int) -> None:
    """Stage so many names in a home."""
    n_entities = int(n_names / NAMES_AN_ENTITY)
    folder = home.staged("wikidata") / "0"
    stage = write_stage(folder, 4 * n_entities, n_entities, facts_sql=_FACTS, entities_sql=_ENTITIES)
    stage.make_current(home)
