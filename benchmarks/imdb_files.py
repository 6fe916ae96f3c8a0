"""Write made-up files in the form and the mix of IMDb's data sets, for benchmarks.

    python -m benchmarks.imdb_files FOLDER --titles 2_000_000

The same number of titles gives the same rows. Seven titles in ten are episodes, most of whose credits repeat those of
other episodes of their series; names are put together from a few hundred words, so people and titles share them.
"""

import argparse
import time
from pathlib import Path

import duckdb
from isal import igzip_threaded

_CHUNK_BYTES = 8 << 20
_NAMES_PER_TITLE = 1.3

_MACROS = r"""
create macro draw(key, n) as (hash(key) % n)::bigint;
create macro word(key) as (select list from words)[1 + draw(key, (select len(list) from words))];
create macro title_id(i) as printf('tt%07d', i);
create macro name_id(i) as printf('nm%07d', i);
create macro is_episode(i) as i >= (select n_series from sizes) and draw((i, 'episode'), 1000) < 720;
create macro series_of(i) as 1 + draw((i // 60, 'series'), (select n_series from sizes) - 1);
create macro a_name(key) as word((key, 1)) || ' ' || word((key, 2))
    || case when draw((key, 3), 5) = 0 then ' ' || word((key, 4)) else '' end;
create macro a_title(i) as case draw((i, 'form'), 8)
    when 0 then word((i, 1))
    when 1 then 'The ' || word((i, 1)) || ' of ' || word((i, 2))
    when 2 then '"' || word((i, 1)) || ' ' || word((i, 2)) || '"'
    when 3 then 'Episode #' || draw((i, 2), 20) || '.' || draw((i, 3), 400)
    else word((i, 1)) || ' ' || word((i, 2)) || ' ' || word((i, 3))
end;
create macro a_character(key) as case draw((key, 'form'), 40)
    when 0 then word((key, 1)) || ' \"' || word((key, 2)) || '\" ' || word((key, 3))
    when 1 then word((key, 1)) || '","' || a_name((key, 2))
    when 2 then 'Dr. ' || word((key, 1))
    when 3 then 'Det. ' || a_name((key, 2))
    when 4 then 'Guard #' || draw((key, 2), 9)
    when 5 then a_name((key, 2)) || ' (voice)'
    when 6 then 'Narrator'
    when 7 then 'Various'
    else a_name((key, 2))
end;
"""
# A share of a thousand each, as in the real file.
_CATEGORIES = {
    "actor": 230,
    "actress": 170,
    "self": 135,
    "writer": 125,
    "director": 80,
    "producer": 80,
    "editor": 60,
    "cinematographer": 45,
    "composer": 35,
    "production_designer": 20,
    "casting_director": 15,
    "archive_footage": 5,
}
_BASICS = r"""
select concat_ws(chr(9), title_id(i),
    case when is_episode(i) then 'tvEpisode'
         when i < (select n_series from sizes) then if(i % 5 = 0, 'tvMiniSeries', 'tvSeries')
         else ['movie', 'short', 'video', 'tvMovie', 'tvSpecial', 'videoGame', 'short'][1 + draw((i, 'type'), 7)] end,
    a_title(i), if(draw((i, 'original'), 12) = 0, a_title((i, 'o')), a_title(i)), '0',
    if(draw((i, 'dated'), 9) = 0, '\N', (1900 + draw((i, 'year'), 126))::varchar), '\N',
    if(i % 3 = 0, '\N', (5 + draw((i, 'minutes'), 115))::varchar),
    ['Drama', 'Comedy', 'Comedy,Drama', 'Documentary', 'Talk-Show', '\N'][1 + draw((i, 'genre'), 6)])
from range(1, (select n_titles from sizes) + 1) as t(i)
"""
_PRINCIPALS = r"""
with slots as (
    select i, unnest(range(1, 2 + draw((i, 'credits'), 11))) as j
    from range(1, (select n_titles from sizes) + 1) as t(i)
),
drawn as (
    select *, if(is_episode(i) and draw((i, j, 'guest'), 10) < 6, series_of(i), 0) as regular_of,
        (select list from categories)[1 + draw((i, j, 'category'), 1000)] as drawn_category
    from slots
),
roles as (
    select i, j, regular_of,
        if(regular_of > 0, (select list from categories)[1 + draw((regular_of, j, 'category'), 1000)], drawn_category)
            as category,
        if(regular_of > 0, hash((regular_of, j)), hash((i, j))) as key
    from drawn
)
select concat_ws(chr(9), title_id(i), j,
    name_id(1 + (pow(draw((key, 'person'), 1000000) / 1000000, 2) * (select n_names - 1 from sizes))::bigint
        + draw((key, 'near'), 13)),
    category,
    case when category in ('producer', 'writer') and j % 3 > 0 then ['producer', 'screenplay', 'story by'][j % 3 + 1]
         else '\N' end,
    case when category = 'self' or category = 'archive_footage' then
             case when draw((key, 's'), 3) = 0 then '["Self - ' || word(key) || '"]' else '["Self"]' end
         when category in ('actor', 'actress') and draw((key, 'has'), 100) < 62 then '["' || a_character(key) || '"]'
         else '\N' end)
from roles
"""
_NAMES = r"""
select concat_ws(chr(9), name_id(i), a_name(i), if(i % 20 = 0, (1880 + draw((i, 'born'), 130))::varchar, '\N'), '\N',
    ['actor', 'actress', 'actor,producer', 'writer,director', 'editor,camera_department', '\N'][1 + draw((i, 'p'), 6)],
    concat_ws(',', title_id(1 + draw((i, 'k1'), (select n_titles from sizes))),
        if(i % 2 = 0, title_id(1 + draw((i, 'k2'), (select n_titles from sizes))), null),
        if(i % 4 = 0, title_id(1 + draw((i, 'k3'), (select n_titles from sizes))), null)))
from range(1, (select n_names from sizes) + 1) as t(i)
"""
_RATINGS = r"""
select concat_ws(chr(9), title_id(i), (10 + draw((i, 'rating'), 90)) / 10,
    (5 + pow(1.0 / (1e-6 + draw((i, 'votes'), 1000000) / 1e6), 1.05))::bigint)
from range(1, (select n_titles from sizes) + 1) as t(i) where draw((i, 'rated'), 100) < 14
"""
_AKAS = r"""
with slots as (
    select i, unnest(range(1, 2 + draw((i, 'akas'), 8))) as j from range(1, (select n_titles from sizes) + 1) as t(i)
)
select concat_ws(chr(9), title_id(i), j, if(j < 4, a_title(i), a_title((i, j))),
    ['\N', 'JP', 'FR', 'DE', 'IN', 'ES', 'US', 'GB', 'BR', 'IT', 'CA'][1 + draw((i, j, 'region'), 11)],
    ['\N', 'ja', 'fr', 'de', 'hi', 'es'][1 + draw((i, j, 'region'), 6)], if(j = 1, 'original', 'imdbDisplay'), '\N',
    if(j = 1, '1', '0'))
from slots
"""
_EPISODES = r"""
select concat_ws(chr(9), title_id(i), title_id(series_of(i)),
    if(i % 11 = 0, '\N', (1 + i % 60 // 20)::varchar), if(i % 11 = 0, '\N', (1 + i % 20)::varchar))
from range(1, (select n_titles * 110 // 100 from sizes) + 1) as t(i) where is_episode(i)
"""
_FILES = {
    "title.basics": (
        "tconst titleType primaryTitle originalTitle isAdult startYear endYear runtimeMinutes genres",
        _BASICS,
    ),
    "title.principals": ("tconst ordering nconst category job characters", _PRINCIPALS),
    "name.basics": ("nconst primaryName birthYear deathYear primaryProfession knownForTitles", _NAMES),
    "title.ratings": ("tconst averageRating numVotes", _RATINGS),
    "title.akas": ("titleId ordering title region language types attributes isOriginalTitle", _AKAS),
    "title.episode": ("tconst parentTconst seasonNumber episodeNumber", _EPISODES),
}
_SYLLABLES = ("an", "bel", "cor", "da", "el", "fi", "gar", "hun", "is", "jo", "ka", "lo", "mar", "ni", "or", "pe", "ra",
              "sa", "to", "ul", "va", "wen", "xi", "yo", "zé")  # fmt: skip


def write_files(folder: Path, n_titles: int) -> None:
    """Write all six files, packed as IMDb's are."""
    words = [(a + b + c).title() for a in _SYLLABLES for b in _SYLLABLES[::2] for c in ("", "n", "ra")]
    with duckdb.connect(config={"preserve_insertion_order": True}) as connection:
        connection.execute("create table words as select ?::varchar[] as list", [words])
        listed = [name for name, share in _CATEGORIES.items() for _ in range(share)]
        connection.execute("create table categories as select ?::varchar[] as list", [listed])
        connection.execute(
            "create table sizes as select ?::bigint as n_titles, ?::bigint as n_series, ?::bigint as n_names",
            [n_titles, max(2, n_titles // 40), int(n_titles * _NAMES_PER_TITLE)],
        )
        connection.execute(_MACROS)
        for name, (header, sql) in _FILES.items():
            _write(connection, folder / f"{name}.tsv", header.split(), sql)


def _write(connection: duckdb.DuckDBPyConnection, path: Path, header: list[str], sql: str) -> None:
    target = str(path).replace("'", "''")
    # A line is one column. DuckDB quotes some lines, such as those with a #, so the quote is a sign that never occurs.
    connection.execute(
        f"copy ({sql}) to '{target}' (format csv, header false, delimiter '\x01', quote '\x02', escape '\x02')"
    )
    packed = path.with_name(f"{path.name}.gz")
    packer = igzip_threaded.open(packed, "wb", compresslevel=2, threads=2)  # type: ignore[no-untyped-call]
    with path.open("rb") as plain, packer as file:
        file.write(("\t".join(header) + "\n").encode())
        while chunk := plain.read(_CHUNK_BYTES):
            file.write(chunk.replace(b"\x02", b""))
    path.unlink()


def main() -> None:
    """Write the files and print their sizes and how long it took."""
    parser = argparse.ArgumentParser(description="Write made-up files like IMDb's data sets.")
    parser.add_argument("folder", type=Path, help="an existing folder")
    parser.add_argument("--titles", type=int, default=2_000_000, help="how many titles (%(default)s)")
    chosen = parser.parse_args()
    started = time.perf_counter()
    write_files(chosen.folder, chosen.titles)
    for path in sorted(chosen.folder.glob("*.tsv.gz")):
        print(f"{path.name}: {path.stat().st_size / 1e6:,.1f} MB")
    print(f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
