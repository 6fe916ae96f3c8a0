"""Stages of any size, made without a dump: facts of one predicate, or of many, between named entities.

Of one predicate one subject in four has two facts. One entity in fifty has the name of another, and one in a hundred
has none.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate
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

_FACTS_A_FILE = 1_000_000
_FACTS_OF_PREDICATES = """
    with numbered as (
        select predicate, i, start + i as n
        from predicates
        cross join unnest(range($number, n_facts, $n_files)) as numbers(i)
    ),

    made as (
        select
            predicate,
            i,
            n,
            -- From one to eleven answers a subject, for most predicates few.
            (1 + hash(i // (1 + hash(predicate) % 3 * (hash(predicate, 'fan') % 6)), predicate) % $n_labels)::bigint
                as subject,
            if(hash(predicate, 'kind') % 3 < 2, (1 + hash(n, 'object') % ($n_labels // 10))::bigint, null) as object,
            predicate % 10 = 0 or predicate in (161, 725) as may_repeat
        from numbered
    ),

    forms as (
        select *, false as is_qualified
        from made
        union all
        select *, true as is_qualified
        from made
        where may_repeat and i % 4 = 0
    )

    select
        predicate,
        subject,
        object,
        if(object is null, (1900 + hash(n, 'value') % 120) || '-01-01', null) as value,
        if(object is null, 'date', 'entity') as kind,
        null::varchar as lang,
        if(
            is_qualified,
            [{'name': 'P453', 'object': (1 + hash(n, 'role') % $n_labels)::bigint, 'value': null::varchar}],
            null
        ) as qualifiers,
        {'member': n // 1000 * 1000, 'offset': n % 1000 * 100} as place
    from forms
    order by predicate, n, is_qualified
"""


def write_stage(
    folder: Path, n_facts: int, n_labels: int, *, facts_sql: str = _FACTS, entities_sql: str = _ENTITIES
) -> Stage:
    """Write a stage, of one predicate unless told otherwise, and open it."""
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(_NAME)
        for name, sql in (("facts", facts_sql), ("entities", entities_sql)):
            (folder / name).mkdir(parents=True)
            values = {"n_facts": n_facts, "n_labels": n_labels}
            _write(connection, sql, values, folder / name / "00000-000.parquet")
    return _open_stage(folder, n_facts, n_labels)


def write_stage_of_predicates(folder: Path, predicates: Sequence[int], n_facts: int, n_labels: int) -> Stage:
    """Write a stage of many predicates, of which the first has the most facts, and open it.

    As of a dump there are several files, each sorted by predicate. One predicate in ten and those of films have a
    quarter of their statements twice, the second time with a qualifier: that comes on top of the number of facts.
    """
    (folder / "facts").mkdir(parents=True)
    (folder / "entities").mkdir()
    shares = [1 / (rank + 1) for rank in range(len(predicates))]
    ends = [round(n_facts * total / sum(shares)) for total in accumulate(shares)]
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(_NAME)
        connection.execute("create table predicates (predicate integer, start bigint, n_facts bigint)")
        starts = [0, *ends]
        rows = [(one, start, end - start) for one, start, end in zip(predicates, starts, ends, strict=False)]
        connection.executemany("insert into predicates values (?, ?, ?)", rows)
        n_files = -(-n_facts // _FACTS_A_FILE)
        for number in range(n_files):
            values = {"n_labels": n_labels, "n_files": n_files, "number": number}
            _write(connection, _FACTS_OF_PREDICATES, values, folder / "facts" / f"{number:05}-000.parquet")
        values = {"n_facts": n_facts, "n_labels": n_labels}
        _write(connection, _ENTITIES, values, folder / "entities" / "00000.parquet")
    return _open_stage(folder, n_facts, n_labels)


def _write(connection: duckdb.DuckDBPyConnection, sql: str, values: dict[str, int], path: Path) -> None:
    rows = connection.sql(sql, params=values)
    rows.write_parquet(str(path), compression="zstd", row_group_size=131_072)


def _open_stage(folder: Path, n_facts: int, n_labels: int) -> Stage:
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
