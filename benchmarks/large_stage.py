"""A stage of any size, made without a dump: facts of one predicate between named entities.

One subject in four has two facts, one entity in fifty has the name of another, and one in a hundred has none.
"""

from datetime import UTC, datetime
from pathlib import Path

import duckdb

from factmill.facts import IdSpace
from factmill.manifest import MANIFEST_FILE, Manifest, Stage

_NAME = """
    create macro word_of(n) as to_base((hash(n) % 1_000_000_000)::bigint, 36);
    create macro name_of(n) as word_of(n) || ' ' || lower(word_of(-n))
"""
_FACTS = """
    select
        175::integer as predicate,
        (1 + n * 4 // 5 * 7919 % $n_labels)::bigint as subject,
        (1 + hash(n, 'object') % ($n_labels // 10))::bigint as object,
        null::varchar as value,
        'entity' as kind,
        null::varchar as lang,
        null::struct(name varchar, object bigint, value varchar)[] as qualifiers,
        {'member': n // 1000 * 1000, 'offset': n % 1000 * 100} as place
    from range($n_facts) facts(n)
"""
_ENTITIES = """
    select
        n + 1 as id,
        if(n % 100 = 50, null, name_of(if(n % 100 < 2, n // 100, n + 1_000_000_000))) as label,
        if(n % 5 = 0, [name_of(n + 2_000_000_000)], []::varchar[]) as aliases,
        null::varchar as description,
        ['Q7366'] as types,
        (hash(n, 'popular') % 1000)::bigint as n_statements,
        0::bigint as in_degree,
        null::bigint as sitelinks,
        null::varchar as wikipedia_title,
        []::varchar[] as same_as,
        (hash(n, 'popular') % 1000)::bigint as popularity
    from range($n_labels) entities(n)
    where $n_facts is not null
"""


def write_stage(folder: Path, n_facts: int, n_labels: int) -> Stage:
    """Write a stage of one predicate and open it."""
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(_NAME)
        for name, sql in (("facts", _FACTS), ("entities", _ENTITIES)):
            (folder / name).mkdir(parents=True)
            rows = connection.sql(sql, params={"n_facts": n_facts, "n_labels": n_labels})
            rows.write_parquet(str(folder / name / "00000-000.parquet"), compression="zstd", row_group_size=131_072)
    manifest = Manifest(
        source="wikidata",
        snapshot="0",
        ids=IdSpace.WIKIDATA,
        input="made up",
        input_bytes=0,
        input_sha256="0",
        second_input=None,
        lang="en",
        only=[],
        qualified=[],
        licence="CC0-1.0",
        as_of=None,
        lines=n_facts,
        names=n_labels,
        qualified_facts=0,
        qualified_lines=0,
        facts=n_facts,
        facts_by_kind={"entity": n_facts},
        entities=n_labels,
        ignored={},
        rejected={},
        staged_at=datetime.now(UTC),
        seconds=0,
        machine="",
    )
    (folder / MANIFEST_FILE).write_text(manifest.model_dump_json())
    return Stage(folder)
