from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from factmill.errors import ConfigError
from factmill.lint import lint
from factmill.names import ShardName
from factmill.paq_form import paq_form
from factmill.project import root
from factmill.render import render
from factmill.templates import catalogue, find_template, read_template, template_files
from tests.conftest import Outcome

GOOD = '+++\npredicate = "wikidata/P175"\nlabel = "performer"\n+++\nwho sings {{ subject }}\n'


def _write(folder: Path, text: str, file: str = "t.j2") -> Path:
    path = folder / file
    path.write_text(text)
    return path


def test_every_template_of_the_project_is_clean_and_named_after_its_predicate() -> None:
    assert lint(template_files()) == []
    for shard, template in catalogue().items():
        assert template.path.parent.name == shard.source
        assert template.path.stem.startswith(shard.key.replace(":", "."))


def test_the_thesis_predicates_have_templates(shared: Path) -> None:
    table = (shared.parent / "paper" / "wikidata_templates.csv").read_text().splitlines()[1:]
    wanted = {f"wikidata/{line.split(',')[0]}" for line in table}
    assert len(wanted) == 21
    assert wanted <= {str(shard) for shard in catalogue()}


def test_the_citizenship_wording_does_not_ask_for_the_birthplace() -> None:
    assert not any("born" in wording for wording in catalogue()[ShardName("wikidata", "P27")].wordings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("who sings {{ subject }}\n", "the front matter must stand between two lines of +++"),
        ('+++\nlabel = "x"\n+++\nwho {{ subject }}', "the front matter lacks 'predicate'."),
        (GOOD.replace("label", "lable"), "the front matter lacks 'label'."),
        (GOOD.replace('"performer"', '"performer"\nrandom = 1'), "the front matter has an unknown key 'random'."),
        (GOOD.replace('"performer"', '"performer"\nanswers = "some"'), "the front matter's 'answers'"),
        (GOOD.replace("+++\npre", "+++\n= pre"), "the front matter is not TOML"),
        (GOOD.replace("wikidata/P175", "wikidata/P175'"), "is not a shard name"),
        ('+++\npredicate = "wikidata/P175"\nlabel = "x"\n+++\n\n', "there is no wording"),
        (GOOD + "who sings {{ subject }}", "the same wording stands twice"),
        (GOOD.replace("subject", "singer"), "uses 'singer', which is not defined (there is: description, subject)"),
        (GOOD.replace("{{ subject }}", "it"), "does not name its subject"),
        (GOOD.replace("}}\n", "}}?\n"), "ends in a question mark"),
        (GOOD.replace("who", "Who"), "has capital letters"),
        (GOOD.replace("wikidata/P175", "freebase/P175"), "there is no source 'freebase'"),
        (GOOD.replace('"performer"', '"performer"\nsubject_types = ["song"]'), "'song' is not a Wikidata item"),
        (GOOD.replace('"performer"', '"performer"\nsubject_types = "Q5"'), "'subject_types' must be a list"),
        (GOOD.replace('"performer"', '"x"\nqualifiers = { role = "P453" }'), "does not name 'role', a qualifier"),
        (GOOD.replace("}}", "}"), "is not valid Jinja"),
        (GOOD.replace('"performer"', '"x"\nanswer = "P453"'), "does not name 'object', which is part of the question"),
        (GOOD.replace('"performer"', '"x"\nanswer = ""'), "the front matter's 'answer'"),
        (
            GOOD.replace('"performer"', '"x"\nanswer = "P453"\nqualifiers = { role = "P453" }'),
            "'answer' is 'P453', which the wordings give away",
        ),
        (GOOD.replace('"performer"', '"x"\nanswer = "object"'), "no qualifier can be called so"),
        (
            GOOD.replace('"performer"', '"x"\nanswer = "P453"\nanswer_kinds = ["date", "text"]'),
            "'answer_kinds' can name only one kind beside entity",
        ),
        (GOOD.replace('"performer"', '"x"\nqualifiers = { object = "P453" }'), "'qualifiers' defines 'object'"),
        (GOOD.replace('"performer"', '"x"\nqualifiers = { a = "P1", b = "P1" }'), "'qualifiers' names 'P1' twice"),
        *(
            (
                GOOD.replace('"performer"', f'"x"\nqualifiers = {{ "{word}" = "P1" }}'),
                f"defines '{word}', which cannot be",
            )
            for word in ("loop", "a b", "Role", "self", "")
        ),
        (
            GOOD.replace('"performer"', '"x"\nanswer_kinds = ["date", "time"]'),
            "'answer_kinds.1': 'time' is no kind. There are: entity, date, quantity, text, coordinate, url.",
        ),
        (
            GOOD.replace('"performer"', '"x"\nanswer_kinds = "date"'),
            "'answer_kinds' must be a list, such as [\"date\"]",
        ),
    ],
)
def test_a_wrong_template_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        read_template(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
    assert any(message.removesuffix(".") in finding.message for finding in lint([path]))


def test_capital_letters_inside_an_expression_are_no_fault(tmp_path: Path) -> None:
    text = GOOD.replace("{{ subject }}", "{{ subject | replace('The ', '') }}")
    assert lint([_write(tmp_path, text)]) == []


def test_white_space_control_does_no_harm() -> None:
    assert render("who is {{ subject -}} ", {"subject": ["a", "b"]}) == ["who is a", "who is b"]


def test_two_files_for_one_shard_are_found(tmp_path: Path) -> None:
    paths = [_write(tmp_path, GOOD, "a.j2"), _write(tmp_path, GOOD, "b.j2")]
    assert [(finding.path.name, finding.message) for finding in lint(paths)] == [
        ("b.j2", "another file is for wikidata/P175 too: a.j2.")
    ]


def test_a_digest_follows_wordings_and_keys_but_not_comments(tmp_path: Path) -> None:
    plain = read_template(_write(tmp_path, GOOD))
    commented = read_template(_write(tmp_path, GOOD.replace('"performer"', '"performer"  # a comment')))
    reworded = read_template(_write(tmp_path, GOOD.replace("sings", "performs")))
    assert plain.digest == commented.digest != reworded.digest


def test_a_key_that_has_its_default_does_not_change_the_digest(tmp_path: Path) -> None:
    plain = read_template(_write(tmp_path, GOOD))
    explicit = read_template(_write(tmp_path, GOOD.replace('"performer"', '"performer"\nanswers = "one"')))
    dates = read_template(_write(tmp_path, GOOD.replace('"performer"', '"performer"\nanswer_kinds = ["date"]')))
    assert plain.digest == explicit.digest != dates.digest


def test_a_template_tells_whether_a_wording_uses_the_description(tmp_path: Path) -> None:
    wordings = {
        "who sings {{ subject }}": False,
        "what is the description of {{ subject }}": False,
        "who sings {{ subject }}, the {{ description }}": True,
        "who sings {{ subject }}{% if description %}, the {{ description | lower }}{% endif %}": True,
    }
    for wording, wants in wordings.items():
        template = read_template(_write(tmp_path, GOOD + f"{wording}, please\n"))
        assert (template.wants_description, template.variables) == (wants, frozenset({"subject"}))


def test_a_template_is_found_by_shard_predicate_or_file(tmp_path: Path) -> None:
    assert find_template("P175").shard == find_template("wikidata/P175").shard == ShardName("wikidata", "P175")
    assert find_template(str(_write(tmp_path, GOOD))).path == tmp_path / "t.j2"
    for text, message in (("P99999", "is no predicate"), ("wikidata/P99999", "there is no template for")):
        with pytest.raises(ConfigError, match=message):
            find_template(text)


def test_rendering_many_rows_equals_rendering_one_by_one() -> None:
    wording = "who {% if character %}plays {{ character | lower }} in{% else %}sings{% endif %} {{ subject[:9] }}"
    columns = {"subject": ["Heat", "Hello (Live at …)", ""], "character": ["Vincent HANNA", "", "x"]}
    one_by_one = Environment(autoescape=False).from_string(wording)
    rows = zip(columns["subject"], columns["character"], strict=True)
    assert render(wording, columns) == [one_by_one.render(subject=s, character=c) for s, c in rows]


@given(st.lists(st.text(st.characters(exclude_characters="\x01", codec="utf-8")), max_size=5))
def test_labels_come_out_literally(labels: list[str]) -> None:
    hostile = [*labels, "{{ 7*7 }}", "{% raw %}", "{# x #}", "'; drop table pairs; --", "<script>"]
    assert render("who is {{ subject }}", {"subject": hostile}) == [f"who is {label}" for label in hostile]


@pytest.mark.parametrize(
    "wording",
    [
        "{{ 'a' * 300000000 }} {{ subject }}",
        "{{ 2 ** 99999999 }} {{ subject }}",
        "{{ subject.__class__.__mro__ }}",
        "{{ subject + 1 }}",
        "{% for x in range(999999999) %}{{ subject }}{% endfor %}",
    ],
)
def test_a_hostile_wording_is_stopped_with_a_clear_error(wording: str) -> None:
    with pytest.raises(ConfigError, match="cannot be rendered"):
        render(wording, {"subject": ["x"]})


@pytest.mark.parametrize(
    ("question", "form"),
    [("Who  sings Bad?", "who sings bad"), (" what's up?? ", "what's up"), ("cafe\u0301", "café"), ("?", "")],
)
def test_questions_take_paqs_form(question: str, form: str) -> None:
    assert paq_form(question) == form


def test_the_project_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from factmill.settings import settings

    monkeypatch.setenv("FACTMILL_PROJECT", str(tmp_path))
    settings.cache_clear()
    with pytest.raises(ConfigError, match="lacks sources/, sql/ or templates/"):
        root()
    for folder in ("sources", "sql", "templates/wikidata"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sources" / "wikidata.py").touch()
    _write(tmp_path / "templates" / "wikidata", GOOD)
    assert [str(shard) for shard in catalogue()] == ["wikidata/P175"]


def test_type_constraints_that_match_nothing_staged_are_found(
    factmill: Callable[..., Outcome], tmp_path: Path, dump: Path
) -> None:
    file = _write(tmp_path, GOOD.replace('"performer"', '"performer"\nsubject_types = ["Q2188189", "Q7366", "Q5"]'))
    assert "is not a factmill home" in factmill("templates", "lint", file, "--staged").err
    factmill("stage", "wikidata", dump)
    outcome = factmill("templates", "lint", file, "--staged")
    assert (outcome.status, outcome.out) == (
        1,
        f"{file}: the subject type 'Q5' fits none of the 5 subjects that are staged.\n1 templates, 1 findings.\n",
    )
    assert factmill("templates", "lint", file).status == 0
    # What is staged says nothing of a predicate that is not, and an inverse template asks about its objects.
    other = _write(tmp_path, GOOD.replace("P175", "P50").replace('"performer"', '"x"\nsubject_types = ["Q5"]'))
    assert factmill("templates", "lint", other, "--staged").status == 0
    inverse = GOOD.replace('"performer"', '"x"\ninverse = true\nsubject_types = ["Q7366"]')
    assert "none of the 3 subjects" in factmill("templates", "lint", _write(tmp_path, inverse), "--staged").out
