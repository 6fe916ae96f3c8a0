import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.errors import ConfigError
from factmill.names import ItemId, PropertyId, ShardName

GOOD = [
    "wikidata/P175",
    "wikidata/P161~character",
    "dbpedia/dbo:artist",
    "dbpedia/dbp:numEpisodes",
    "imdb/plays_character_in",
    "paq/base",
    "wikidata/intersection",
]
BAD = [
    "",
    "wikidata",
    "wikidata/",
    "/P175",
    "wikidata/P0",
    "wikidata/p175",
    "wikidata/../../etc",
    "wikidata/P175/",
    "Wikidata/P175",
    "wikidata/P175~",
    "wikidata/P175~Inverse",
    "wikidata/P175' OR 1=1 --",
    "dbpedia/dbo:artist> ?x ?y . }",
    "dbpedia/yago:name",
    "wikidata/P175\n",
    "wikidata/P1７5",
    "a/" + "b" * 65,
]


@pytest.mark.parametrize("text", GOOD)
def test_a_good_name_reads_back_as_it_was_written(text: str) -> None:
    assert str(ShardName.parse(text)) == text


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(ConfigError, match=r"is not a shard name\. Write source/predicate"):
        ShardName.parse(text)


def test_a_name_cannot_be_built_around_the_grammar() -> None:
    with pytest.raises(ConfigError):
        ShardName("wikidata", "P175'; drop table facts; --")


@given(st.text(max_size=30) | st.from_regex(r"[a-z]{1,5}/([A-Za-z:]{1,9}|P[0-9]{1,9})(~[a-z]{1,5})?", fullmatch=True))
def test_whatever_parses_is_safe_as_a_path_in_sql_and_in_sparql(text: str) -> None:
    try:
        shard = ShardName.parse(text)
    except ConfigError:
        return
    assert str(shard) == text
    assert re.fullmatch(r"[A-Za-z0-9_:~]+", shard.key)
    assert re.fullmatch(r"[A-Za-z0-9_.^~]+", shard.folder)


def test_folders_of_two_shards_differ_even_where_the_file_system_ignores_case() -> None:
    names = ["dbo:artist", "dbo:Artist", "dbo:aRtist", "dbp:artist", "P175", "artist"]
    folders = {ShardName("dbpedia", name).folder.casefold() for name in names}
    assert len(folders) == len(names)


def test_ids_read_back_and_refuse_anything_else() -> None:
    assert str(ItemId.parse("Q42")) == "Q42"
    assert str(PropertyId.parse("P31")) == "P31"
    for text in ("42", "Q", "Q0", "Q4 2", "q42", "P31", "Q42\n"):
        with pytest.raises(ConfigError):
            ItemId.parse(text)
    with pytest.raises(ConfigError):
        PropertyId.parse("Q42")
