"""Wordings that are more than text and names run in a process with limits, and give what plain Jinja gives."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from benchmarks.cost import cost_of
from factmill.errors import ConfigError
from factmill.render import Renderer, is_plain, render
from tests.conftest import ROOT, Outcome

ROWS = {
    "subject": ["Heat", "Hello (Live at …)", "", "a\nb", "  spaced  ", "ünï\u2028\x85\x0b\x0cçødé", "\U0001f600", "0"],
    "character": ["Vincent HANNA", "", "x", "{{ y }}", "\r\n", "\ud7ff", "'\"\\", "<b>&amp;"],
}
EQUAL = [
    "who plays {{ character }} in {{ subject }}",
    "who {% if character %}plays {{ character | lower }} in{% else %}sings{% endif %} {{ subject[:9] }}",
    "{% set first = subject.split()[:1] %}{{ first | join }}-{{ subject | length }}",
    "{% for letter in subject %}{{ loop.index }}{{ letter }}{% if not loop.last %},{% endif %}{% endfor %}",
    "{% for row in [1, 2] %}{{ row }}{{ subject }}{% endfor %}",
    "{% macro shout(text) %}{{ text | upper }}!{% endmacro %}{{ shout(subject) }}{{ shout(character) }}",
    "{# a comment #}{{ subject | replace('Live', 'live') | trim }}  ",
    "  {{- subject -}}  x",
    "{% raw %}{{ subject }}{% endraw %} {{ subject }}",
    "{{ subject ~ ' and ' ~ character }} {{ [subject, character] | sort | join('|') }}",
    "{% set subject = subject | upper %}{{ subject }}{% if true %}{% set subject = 'x' %}{% endif %}{{ subject }}",
    "{% for subject in [subject, character] %}{{ subject }};{% endfor %}{{ subject }}",
    "{% macro f(subject) %}{{ subject }}{{ caller() }}{{ subject }}{% endmacro %}{% call f(subject) %}-{% endcall %}",
    "{% set a %}{{ subject }}-{{ character }}{% endset %}{{ a|title }}{% filter lower %}{{ subject }}{% endfilter %}",
    "{% with rows = 3 %}{{ rows }}{{ subject }}{% endwith %}",
    "{% set rows = subject %}{{ rows }}",
    "{{ subject }}{{ '\\n' }}",
    "{% set ns = namespace(n=0) %}{% for c in subject %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }} {{ subject }}",
]


@pytest.mark.parametrize("wording", EQUAL)
def test_whatever_jinja_a_user_writes_gives_what_a_call_a_row_gives(wording: str) -> None:
    one_by_one = Environment(autoescape=False).from_string(wording)
    rows = zip(ROWS["subject"], ROWS["character"], strict=True)
    assert render(wording, ROWS) == [one_by_one.render(subject=s, character=c) for s, c in rows]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\x01", codec="utf-8")), max_size=20))
def test_any_names_come_out_of_the_process_as_they_went_in(names: list[str]) -> None:
    assert render("{{ subject | list | join }}", {"subject": names}) == names


def test_many_rows_go_through_in_batches() -> None:
    names = [f"name {n}" for n in range(4_501)]
    assert render("{{ subject | upper }}", {"subject": names}) == [text.upper() for text in names]


@pytest.mark.parametrize(
    ("wording", "is_text_and_names"),
    [
        ("who sings {{ subject }}", True),
        ("who plays {{ character }} in {{ subject }}, {{ description }}", True),
        ("{{ subject | lower }}", False),
        ("{{ subject ~ 'x' }}", False),
        ("{{ 'x' * 9 }} {{ subject }}", False),
        ("{% if subject %}{{ subject }}{% endif %}", False),
    ],
)
def test_only_text_and_names_are_rendered_in_this_process(wording: str, is_text_and_names: bool) -> None:
    assert is_plain(wording) is is_text_and_names


HOSTILE = {
    "a loop without end": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{{ subject }}",
    "a loop that writes": "{% for a in range(99999) %}{% for b in range(9999) %}{{ subject }}{% endfor %}{% endfor %}",
    "a string repeated": "{{ 'a' * 3000000000 }}{{ subject }}",
    "a list repeated": "{{ [subject] * 300000000 }}",
    "a justified string": "{{ subject.ljust(3000000000) }}",
    "a centred string": "{{ subject | center(3000000000) }}",
    "a format": "{{ '%3000000000d' | format(7) }}{{ subject }}",
    "an indentation": "{{ (subject ~ '\\n') | indent(3000000000, true) }}",
    "doubling": "{% set n = namespace(s=11) %}{% for a in range(99) %}{% set n.s = n.s~n.s %}{% endfor %}{{ subject }}",
    "a power": "{{ 9 ** 9 ** 9 }}{{ subject }}",
    "squaring": "{% set n = namespace(n=9) %}{% for a in range(99) %}{% set n.n = n.n*n.n %}{% endfor %}{{ subject }}",
    "a range": "{{ range(999999999) | list }}{{ subject }}",
    "attributes": "{{ subject.__class__.__mro__[1].__subclasses__() }}",
    "a name through many dots": "{{ subject" + ".a" * 900 + " }}",
    "attributes by filter": "{{ subject | attr('__class__') }}",
    "a format that reaches in": "{{ '{0.__class__.__init__.__globals__}'.format(subject) }}",
    "macros without end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}{{ subject }}",
    "the globals": "{{ namespace.__init__.__globals__ }}{{ subject }}",
    "an include": "{% include '/etc/passwd' %}{{ subject }}",
    "an import": "{% import 'os' as os %}{{ subject }}",
    "brackets": "{{ " + "(" * 900 + "subject" + ")" * 900 + " }}",
    "a pattern that backtracks": "{{ (subject ~ 'a' * 20000) | urlize }}",
    "many words": "{{ (subject ~ ' ') | wordwrap(1) ~ (('a ' * 1) | center(900000000)) }}",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_wording_ends_in_an_error_within_two_seconds_and_500_megabytes(what: str, tmp_path: Path) -> None:
    """In a process of its own, so that what it costs can be measured, and what its own child costs with it."""
    told = tmp_path / "told.txt"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from factmill.errors import ConfigError\n"
        "from factmill.render import render\n"
        "try: render(sys.argv[1], {'subject': ['Heat'] * 50})\n"
        "except ConfigError as error: Path(sys.argv[2]).write_text(str(error))\n"
    )
    cost = cost_of([sys.executable, "-c", code, HOSTILE[what], str(told)])
    assert "cannot be rendered: " in told.read_text() or "is nested too deeply" in told.read_text()
    # Half of a second is what Python and Jinja take to start, twice.
    assert cost.cpu < 2.5
    assert cost.peak_bytes < 500e6


def test_the_linter_finds_what_cannot_be_rendered_without_rendering_for_long(
    factmill: Callable[..., Outcome], tmp_path: Path
) -> None:
    front = '+++\npredicate = "wikidata/P175"\nlabel = "x"\n'
    example = 'example = { subject = "a", object = "b", question = "c", answer = "b" }\n+++\n'
    (tmp_path / "endless.j2").write_text(front + example + HOSTILE["a loop without end"])
    outcome = factmill("templates", "lint", tmp_path / "endless.j2")
    assert outcome.status == 1
    assert "cannot be rendered: 2,000 rows or fewer take more than 1 s" in outcome.out


def test_no_process_is_left_behind() -> None:
    with pytest.raises(ConfigError), Renderer("{{ subject.ljust(3000000000) }}") as renderer:
        renderer.texts({"subject": ["x"]})
    children = Path("/proc/self/task")
    left = [
        Path(f"/proc/{child}/cmdline").read_text()
        for task in children.iterdir()
        for child in (task / "children").read_text().split()
    ]
    assert not [command for command in left if "factmill.guard" in command]


def test_a_wording_that_raises_says_what(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be rendered: integer division or modulo by zero\."):
        render("{{ 1 // 0 }}{{ subject }}", {"subject": ["x"]})


@pytest.mark.parametrize(
    ("wording", "message"),
    [
        ("{{ loop.index }} {{ subject }}", "special loop variable"),
        ("{{ self }} {{ subject }}", "uses 'self', which is not defined"),
        ("{{ varargs }} {{ subject }}", "uses 'varargs', which is not defined"),
        ("{{ question(subject) }}", "uses 'question', which is not defined"),
        ("{{ subject.upper }}", "it prints a builtin_function_or_method, which is no text"),
        ("{{ '\\ud800' }}{{ subject }}", "it gives characters that are no text"),
        ("{{ lipsum() }} {{ subject }}", "uses 'lipsum', which is not defined"),
        ("{{ [subject, 'x'] | random }}", "No filter named 'random'"),
        ("{% block x %}{{ subject }}{% endblock %}", "cannot be rendered"),
    ],
)
def test_what_a_call_a_row_would_refuse_and_what_goes_by_chance_is_refused(wording: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        render(wording, {"subject": ["x"]})


def test_the_limits_are_told_in_the_documents() -> None:
    from factmill.guard import MAX_MEGABYTES

    assert f"may take a second and {MAX_MEGABYTES} MB" in (ROOT / "docs" / "templates.md").read_text()
