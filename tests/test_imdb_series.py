"""Credits of an episode are credits of its series, and episodes themselves are nothing to ask about."""

from pathlib import Path

from factmill.home import Home
from factmill.stage import stage_imdb
from tests.imdb_folders import credit, entities, facts, write_folder

BASICS = [
    "s1 tvSeries Friends Friends 0 1994",
    "e1 tvEpisode Pilot Pilot 0 1994",
    "e2 tvEpisode The_Sonogram The_Sonogram 0 1995",
    "e3 tvEpisode Lost Lost 0 1996",
    "e4 tvEpisode Alone Alone 0 1997",
    "e5 tvEpisode Of_an_Episode Of_an_Episode 0 1998",
]
EPISODES = ["e2 s1 2 1", "e1 s1 1 1", "e3 s9 1 1", "e5 e1 1 1", "e9 s1 \\N \\N", "e8 s1 2 2"]
CREDITS = [
    credit("e2", 4, "n1", "actress", '["Rachel Green"]'),
    credit("e1", 7, "n1", "actress", '["Rachel Green"]'),
    credit("e1", 2, "n1", "actress", '["Rachel Green","Ghost"]'),
    credit("e2", 5, "n2", "actor", '["Rachel Green"]'),
    credit("s1", 1, "n2", "actor", '["Gunther"]'),
    credit("e3", 1, "n2", "actor", '["Nobody"]'),
    credit("e4", 1, "n2", "actor", '["Nobody"]'),
    credit("e5", 1, "n2", "actor", '["Nobody"]'),
    credit("e1", 9, "n2", "director"),
    credit("e2", 9, "n2", "director"),
    credit("e2", 10, "n2", "writer"),
]


def test_credits_of_episodes_are_those_of_their_series(home: Home, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "imdb", CREDITS, basics=BASICS, episode=EPISODES)
    result = stage_imdb(home, folder, "en")
    assert facts(result) == [
        ("s1", "n1", "Ghost", "title.principals/e1/n1/2"),
        ("s1", "n1", "Rachel Green", "title.principals/e1/n1/2"),
        ("s1", "n2", "Rachel Green", "title.principals/e2/n2/5"),
        ("s1", "n2", "Gunther", "title.principals/s1/n2/1"),
    ]
    assert facts(result, "director") == [("s1", "n2", "title.principals/e1/n2/9")]
    assert facts(result, "writer") == [("s1", "n2", "title.principals/e2/n2/10")]
    assert facts(result, "release_year") == [("s1", "1994", "title.basics/s1")]
    assert facts(result, "number_of_seasons") == [("s1", "2", "title.episode/s1")]
    assert facts(result, "number_of_episodes") == [("s1", "3", "title.episode/s1")]
    assert list(entities(result)) == ["n1", "n2", "s1"]
    assert entities(result)["s1"]["n_statements"] == 9
    assert result.stage.manifest.ignored == {
        "a row of title.episode without a season": 1,
        "a row of title.episode without a series in title.basics": 2,
        "an episode whose series is not known": 3,
        "said by an earlier credit": 3,
    }
    assert result.stage.manifest.rejected == {}


def test_without_title_episode_credits_of_episodes_are_ignored(home: Home, tmp_path: Path) -> None:
    manifest = stage_imdb(home, write_folder(tmp_path / "imdb", CREDITS, basics=BASICS), "en").stage.manifest
    assert manifest.facts_by_kind == {"date": 1, "entity": 1}
    assert manifest.ignored == {"an episode whose series is not known": 10}
