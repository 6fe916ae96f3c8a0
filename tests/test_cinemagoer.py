"""A title is looked up by its name, through cinemagoer; nothing is fetched, printed or left open."""

import gzip
import logging
import os
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.errors import ConfigError, SourceFormatError
from factmill.home import Home
from factmill.stage import stage_imdb
from sources._cinemagoer import TitleMatch, find_titles
from tests.conftest import ROOT

DEMO = ROOT / "demo" / "imdb"
GODFATHER = TitleMatch("tt0068646", "The Godfather", 1972, "movie", 2_100_000)
LEBOWSKI = TitleMatch("tt0118715", "The Big Lebowski", 1998, "movie", 880_000)
STAR_WARS = TitleMatch("tt0076759", "Star Wars: Episode IV - A New Hope", 1977, "movie", 1_500_000)
CUCKOO = TitleMatch("tt0073486", "One Flew Over the Cuckoo's Nest", 1975, "movie", 1_100_000)
FRIENDS = TitleMatch("tt0108778", "Friends", 1994, "tvSeries", 1_100_000)

BASICS = "tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\tstartYear\tendYear\truntimeMinutes\tgenres\n"
AKAS = "titleId\tordering\ttitle\tregion\tlanguage\ttypes\tattributes\tisOriginalTitle\n"
RATINGS = "tconst\taverageRating\tnumVotes\n"


def _folder(path: Path, *titles: tuple[str, str, str, str, str], votes: str = "", akas: str = "") -> Path:
    """Write titles as (id, kind, title, original title, year)."""
    path.mkdir()
    rows = "".join(
        f"{id_}\t{kind}\t{title}\t{first}\t0\t{year}\t\\N\t\\N\t\\N\n" for id_, kind, title, first, year in titles
    )
    files = {"title.basics": BASICS + rows, "title.ratings": RATINGS + votes, "title.akas": AKAS + akas}
    files |= {
        "title.principals": "tconst\tordering\tnconst\tcategory\tjob\tcharacters\n",
        "name.basics": "nconst\tprimaryName\n",
    }
    for name, text in files.items():
        (path / f"{name}.tsv").write_text(text, encoding="utf-8")
    return path


def _ids(folder: Path, name: str, scratch: Path) -> list[str]:
    return [match.tconst for match in find_titles(folder, name, scratch=scratch)]


@pytest.mark.parametrize(
    ("name", "match"),
    [
        pytest.param("The Godfather", GODFATHER, id="exact"),
        pytest.param("tHE gODFATHER", GODFATHER, id="another case"),
        pytest.param("The Godfather (1972)", GODFATHER, id="with its year"),
        pytest.param("godfather", GODFATHER, id="without the article, where cinemagoer finds nothing"),
        pytest.param("big lebowski", LEBOWSKI, id="without the article, where cinemagoer finds it"),
        pytest.param("Godfather, The", GODFATHER, id="article last"),
        pytest.param("Godfather, The (1972)", GODFATHER, id="article last, with its year"),
        pytest.param("Der Pate", GODFATHER, id="alternative title"),
        pytest.param("el padrino (1972)", GODFATHER, id="alternative title with a year"),
        pytest.param("star wars", STAR_WARS, id="original title"),
        pytest.param("La guerre des étoiles", STAR_WARS, id="accent"),
        pytest.param("la guerre des etoiles", STAR_WARS, id="accent left out"),
        pytest.param("one flew over the cuckoos nest", CUCKOO, id="apostrophe left out"),
        pytest.param("One Flew Over the Cuckoo’s Nest", CUCKOO, id="another apostrophe"),
        pytest.param('"Friends" (1994)', FRIENDS, id="a series in cinemagoer's quotes"),
        pytest.param("  friends\n", FRIENDS, id="spaces around"),
    ],
)
def test_a_title_is_found_by_its_name(name: str, match: TitleMatch, tmp_path: Path) -> None:
    assert find_titles(DEMO, name, scratch=tmp_path) == [match]


def test_of_several_titles_with_one_name_the_best_known_comes_first(shared: Path, tmp_path: Path) -> None:
    found = find_titles(shared / "imdb_casts", "a star is born", scratch=tmp_path)
    assert [(match.year, match.votes) for match in found] == [(2018, 392_449), (1954, 18_675), (1973, 12_184)]
    assert find_titles(shared / "imdb_casts", "a star is born", limit=1, scratch=tmp_path) == found[:1]
    assert find_titles(shared / "imdb_casts", "A Star Is Born (1954)", scratch=tmp_path) == found[1:2]


def test_an_article_that_is_said_is_meant_and_one_that_is_not_may_be(shared: Path, tmp_path: Path) -> None:
    casts = shared / "imdb_casts"
    said = [(match.title, match.votes) for match in find_titles(casts, "The Stranger", scratch=tmp_path)]
    assert said == [
        ("The Stranger", 52_906),
        ("The Stranger", 26_293),
        ("The Stranger", 18_927),
        ("The Stranger", 4_122),
        ("Stranger", 8_884),
    ]
    left_out = [(match.title, match.votes) for match in find_titles(casts, "stranger", scratch=tmp_path)]
    assert left_out == sorted(said, key=lambda pair: -(pair[1] or 0))


def test_without_votes_the_order_is_that_of_cinemagoer(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path / "imdb",
        ("tt0000001", "tvEpisode", "Heat", "Heat", "2001"),
        ("tt0000002", "tvSeries", "Heat", "Heat", "2002"),
        ("tt0000003", "movie", "Heat", "Heat", "1995"),
        ("tt0000004", "short", "Heat", "Heat", "1990"),
    )
    # A film, a series, a short, and an episode last.
    assert _ids(folder, "heat", tmp_path) == ["tt0000003", "tt0000002", "tt0000004", "tt0000001"]


def test_names_with_quotes_and_of_all_alphabets_are_found(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path / "imdb",
        ("tt0000001", "movie", 'About "Me"', 'About "Me"', "2001"),
        ("tt0000002", "movie", "Spirited Away", "千と千尋の神隠し", "2001"),
        ("tt0000003", "movie", "Élite & Co.", "Élite & Co.", "\\N"),
        ("tt0000004", "movie", "!!!", "!!!", "2004"),
        ("tt0000005", "movie", "???", "???", "2005"),
        ("tt0000006", "movie", "2012 (2009)", "2012 (2009)", "2011"),
        ("odd", "movie", "%", "%", "2006"),
    )
    asked = ['about "me"', '"about me"', "about me", "千と千尋の神隠し", "elite and co", "!!!", "2012 (2009)", "%"]
    assert [_ids(folder, name, tmp_path) for name in asked] == [
        ["tt0000001"],
        ["tt0000001"],
        ["tt0000001"],
        ["tt0000002"],
        ["tt0000003"],
        ["tt0000004"],
        ["tt0000006"],
        ["odd"],
    ]


def test_a_title_without_a_name_of_its_own_is_found_by_another(tmp_path: Path) -> None:
    folder = _folder(
        tmp_path / "imdb",
        ("tt0000001", "\\N", "\\N", "\\N", "\\N"),
        ("tt0000002", "movie", "", "", "x"),
        akas="tt0000001\t1\t1917\t\\N\t\\N\t\\N\t\\N\t0\ntt0000002\t1\t1917\t\\N\t\\N\t\\N\t\\N\t0\n",
        votes="tt0000002\t5.0\tmany\n",
    )
    assert find_titles(folder, "1917", scratch=tmp_path) == [
        TitleMatch("tt0000002", "1917", None, "movie", None),
        TitleMatch("tt0000001", "1917", None, None, None),
    ]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("The Big Lebowsky", "Did you mean The Big Lebowski (1998, movie, tt0118715)?"),
        ("lebowski", "Did you mean The Big Lebowski (1998, movie, tt0118715)?"),
        ("The Godfather (1973)", "Did you mean The Godfather (1972, movie, tt0068646)?"),
        ("no such film", "Give the name as IMDb writes it, or fetch newer files."),
        ("%", "Give the name as IMDb writes it, or fetch newer files."),
        ("The Godfathe_", "Did you mean The Godfather (1972, movie, tt0068646)?"),
        ("' or 1=1; drop table title_basics --", "Give the name as IMDb writes it, or fetch newer files."),
        ('""""', "Give the name as IMDb writes it, or fetch newer files."),
        ("a\0b", "Give the name as IMDb writes it, or fetch newer files."),
    ],
)
def test_what_is_not_found_is_said_with_what_is_near(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        find_titles(DEMO, name, scratch=tmp_path)
    assert str(error.value) == f"no title in {DEMO} is called {name!r}. {says}"


def test_a_long_name_is_not_found_at_once_and_said_in_short(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        find_titles(DEMO, '"(1995) ' * 100_000, scratch=tmp_path)
    assert len(str(error.value)) < 300 + len(str(DEMO))


@pytest.mark.parametrize(("name", "says"), [(" \n", "give the name of a title"), ("\udcff", "is not UTF-8")])
def test_what_is_no_name_is_refused(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says):
        find_titles(DEMO, name, scratch=tmp_path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(st.sampled_from("aZé千 the,.'\"(){}[]#/19?-%_\\\t"), max_size=30))
def test_any_name_is_found_or_refused(name: str, tmp_path: Path) -> None:
    with suppress(ConfigError):
        assert find_titles(DEMO, name, scratch=tmp_path) != []


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_case_and_punctuation_never_hide_a_title(data: st.DataObject, tmp_path: Path) -> None:
    title = data.draw(st.sampled_from([GODFATHER, LEBOWSKI, STAR_WARS, CUCKOO, FRIENDS]))
    marks = st.text(st.sampled_from("'’\"%_-.,:!#\\ "), max_size=2)
    words = [
        data.draw(st.sampled_from([str.upper, str.lower]))(word) + data.draw(marks) for word in title.title.split()
    ]
    name = " ".join(words)
    assert find_titles(DEMO, name, scratch=tmp_path) == [title]


def test_a_damaged_or_foreign_file_is_named(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "imdb")
    (folder / "title.ratings.tsv").write_text("tconst\trating\n")
    with pytest.raises(SourceFormatError, match=r"title\.ratings\.tsv lacks the column numVotes"):
        find_titles(folder, "heat", scratch=tmp_path)
    (folder / "title.ratings.tsv").write_text(RATINGS)
    (folder / "title.basics.tsv").unlink()
    (folder / "title.basics.tsv.gz").write_bytes(gzip.compress(BASICS.encode() * 1000)[:-20])
    with pytest.raises(SourceFormatError, match=r"cannot be read.*Fetch the files again"):
        find_titles(folder, "heat", scratch=tmp_path)


def test_nothing_is_fetched_printed_logged_or_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    caplog.set_level(logging.DEBUG)
    assert find_titles(DEMO, "the godfather", scratch=tmp_path) == [GODFATHER]
    with pytest.raises(ConfigError):
        find_titles(DEMO, '""""', scratch=tmp_path)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert list(tmp_path.iterdir()) == []


def test_logging_is_afterwards_as_it_was(tmp_path: Path) -> None:
    # In a process of its own: cinemagoer changes it when it is first imported.
    script = (
        "import logging, sys; from pathlib import Path; from sources._cinemagoer import find_titles\n"
        "find_titles(Path(sys.argv[1]), 'the godfather', scratch=Path(sys.argv[2]))\n"
        "logger = logging.getLogger('imdbpy'); print(logger.handlers, logger.disabled, logging.getLogger().handlers)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(DEMO), str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[] False []\n", "")


def test_one_title_is_staged_for_a_one_off_run(home: Home) -> None:
    told: list[str] = []
    result = stage_imdb(home, DEMO, "en", titles=["big lebowski"], tell=told.append)
    subjects = {row["subject"] for row in pq.read_table(result.stage.facts, columns=["subject"]).to_pylist()}
    assert subjects == {"tt0118715"}
    assert (result.stage.manifest.titles, told) == (
        ["tt0118715"],
        ["'big lebowski' is taken for The Big Lebowski (1998, movie, tt0118715)."],
    )
    assert stage_imdb(home, DEMO, "en").stage.manifest.facts > result.stage.manifest.facts


def test_an_episode_points_to_its_series(home: Home, tmp_path: Path) -> None:
    for file in DEMO.iterdir():
        shutil.copy(file, tmp_path)
    with (tmp_path / "title.basics.tsv").open("a", encoding="utf-8") as basics:
        basics.write("tt99999999\ttvEpisode\tOzymandias\tOzymandias\t0\t2013\t\\N\t48\tDrama\n")
    with pytest.raises(ConfigError, match=r"Ozymandias \(2013, tvEpisode, tt99999999\) is an episode"):
        stage_imdb(home, tmp_path, "en", titles=["ozymandias"])


def test_episodes_do_not_hide_a_film_of_their_name(home: Home, tmp_path: Path) -> None:
    episodes = [(f"tt{number:07}", "tvEpisode", "Pilot", "Pilot", "2000") for number in range(100, 115)]
    votes = "".join(f"{row[0]}\t8.0\t1000\n" for row in episodes) + "tt0000001\t8.0\t50\n"
    folder = _folder(tmp_path / "imdb", ("tt0000001", "movie", "Pilot", "Pilot", "1999"), *episodes, votes=votes)
    assert find_titles(folder, "pilot", scratch=tmp_path)[0].tconst == "tt0000001"
