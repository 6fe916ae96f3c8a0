"""Rendering: a wording over many rows in one call.

Jinja costs far more to start than to run, so the wording is wrapped in a loop once and the output split again; it
equals what a `render` call a row gives. Labels are data: they are values of variables, never part of a template's
source.

A wording of text and names alone is rendered here. Anything more could take any amount of time and memory, so it is
compiled and rendered in a process of its own with limits: factmill/guard.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateSyntaxError, Undefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import SandboxedEnvironment

from factmill.errors import ConfigError
from factmill.free_names import free_names
from factmill.paq_form import paq_forms

ROW_END = "\x01"
"""Not a white space for Jinja, whose `-%}` takes white space away, and refused in labels."""

_MACRO = "question"
_MAX_WORDING = 2_000
_MAX_EXPRESSIONS = 20
"""In a wording of text and names, so that what is rendered at a time stays small."""
_ROLES = {"object": "which is part of the question where the answer is a qualifier"}


class _Environment(SandboxedEnvironment):
    """Jinja's sandbox, which alone would still build strings without bounds."""

    intercepted_binops = frozenset(["*", "**"])

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Multiply numbers only: 'a' * 300000000 would fill the memory."""
        if isinstance(left, int | float) and isinstance(right, int | float) and operator == "*":
            return left * right
        raise SecurityError(f"{operator} is allowed between numbers only, and ** not at all")


@cache
def environment() -> Environment:
    """Return the sandbox that all wordings run in; what Jinja offers that goes by chance is not there."""
    sandbox = _Environment(undefined=StrictUndefined, autoescape=False)
    del sandbox.globals["lipsum"], sandbox.filters["random"]
    return sandbox


@cache
def _environment_of_odd_wordings() -> Environment:
    return environment().overlay(finalize=_printable)


def _printable(value: Any) -> Any:
    """Refuse to print what reads differently on every run, such as a method that was not called."""
    if isinstance(value, str | int | float | list | tuple | dict | Undefined | None):
        return value
    raise SecurityError(f"it prints a {type(value).__name__}, which is no text")


def wording_faults(wording: str, variables: frozenset[str], optional: frozenset[str] = frozenset()) -> list[str]:
    """Say what is wrong with a wording, as ends of the sentence "the wording …".

    It must use all variables and may use the optional ones.
    """
    if len(wording) > _MAX_WORDING:
        return [f"has {len(wording):,} characters; {_MAX_WORDING:,} are allowed"]
    try:
        used = set(used_variables(wording))
    except ConfigError as error:
        return [str(error).partition("' ")[2].removesuffix(".")]
    if wording.count("{{") > _MAX_EXPRESSIONS:
        return [f"has more than {_MAX_EXPRESSIONS} expressions"]
    known = variables | optional
    faults = []
    if "object" in used - known:
        faults.append("gives its answer away: 'object' is what it asks for")
    faults += [
        f"uses '{name}', which is not defined (there is: {', '.join(sorted(known))})"
        for name in sorted(used - known - {"object"})
    ]
    if "subject" not in used:
        faults.append("does not name its subject: write {{ subject }} where its name goes")
    # The question key is what the wording names: leaving a part out would merge what is not the same question.
    faults += [
        f"does not name '{name}', {_ROLES.get(name, 'a qualifier of this template')}"
        for name in sorted(variables - used - {"subject"})
    ]
    if wording.endswith("?"):
        faults.append("ends in a question mark; PAQ's questions have none")
    if any(text != text.lower() for text in _literal_texts(wording)):
        faults.append("has capital letters; PAQ's questions are lower case")
    return faults


def used_variables(wording: str) -> list[str]:
    """Name the variables of a wording, in alphabetical order."""
    with _nested_too_deeply(wording):
        return sorted(free_names(_tree(wording)) - set(environment().globals))


def is_plain(wording: str) -> bool:
    """Tell whether a wording is text and names alone, so that rendering it is bounded by what goes in."""
    plain = (nodes.Output, nodes.TemplateData, nodes.Name)
    with _nested_too_deeply(wording):
        return all(isinstance(node, plain) for node in _tree(wording).find_all(nodes.Node))


def _tree(wording: str) -> nodes.Template:
    try:
        with _nested_too_deeply(wording):
            return environment().parse(wording)
    except TemplateSyntaxError as error:
        raise ConfigError(f"the wording '{wording}' is not valid Jinja: {str(error.message).rstrip('.')}.") from error


@contextmanager
def _nested_too_deeply(wording: str) -> Iterator[None]:
    try:
        yield
    except RecursionError as error:
        raise ConfigError(f"the wording '{wording[:80]}…' is nested too deeply.") from error


class Renderer(AbstractContextManager["Renderer"]):
    """Renders one wording for batch after batch."""

    def __init__(self, wording: str) -> None:
        self._wording = wording
        self._names = used_variables(wording)
        if not self._names:
            raise ConfigError(f"the wording '{wording[:80]}' names nothing.")
        self._guard: Any = nullcontext()
        if not is_plain(wording):
            from factmill.guard import Guard

            self._guard = Guard(wording, self._names)

    def __enter__(self) -> "Renderer":
        self._guard.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._guard.__exit__(*error)

    def texts(self, columns: Mapping[str, Sequence[str]]) -> list[str]:
        """Return what the wording gives for every row; columns are the variables' values."""
        return self._joined(columns).split(ROW_END)[:-1]

    def questions(self, columns: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the same in PAQ's form."""
        return paq_forms(self._joined(columns), ROW_END)

    def _joined(self, columns: Mapping[str, Sequence[str]]) -> str:
        if unknown := [name for name in self._names if name not in columns]:
            raise ConfigError(f"the wording '{self._wording}' uses '{unknown[0]}', which is not defined.")
        # With one variable Jinja's loop takes the values as they are, with several it unpacks a row.
        used = [columns[name] for name in self._names]
        rows = used[0] if len(used) == 1 else list(zip(*used, strict=True))
        if isinstance(self._guard, nullcontext):
            text: str = looped(self._wording, tuple(self._names)).render(rows=rows)
        else:
            text = self._guard.render(rows)
        if text.count(ROW_END) != len(rows):
            raise ConfigError(
                f"the wording '{self._wording}' or a name holds the control character U+0001, which marks its end."
            )
        return text


def render(wording: str, columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Render one wording for every row; columns are the variables' values."""
    with Renderer(wording) as renderer:
        return renderer.texts(columns)


@cache
def looped(wording: str, names: tuple[str, ...]) -> Template:
    """Compile a wording so that one call renders many rows.

    Text and names are the body of a loop over the rows. Anything more stands in a macro, whose variables are new for
    every row and which knows nothing of the loop around it.
    """
    variables = ", ".join(names)
    if is_plain(wording):
        return environment().from_string(f"{{% for {variables} in rows %}}{wording}{ROW_END}{{% endfor %}}")
    macro = f"{{% macro {_MACRO}({variables}) %}}{wording}{{% endmacro %}}"
    called = f"{{{{ {_MACRO}({variables}) }}}}{ROW_END}"
    return _environment_of_odd_wordings().from_string(f"{macro}{{% for {variables} in rows %}}{called}{{% endfor %}}")


def _literal_texts(wording: str) -> list[str]:
    return [text for _, kind, text in environment().lex(wording) if kind == "data"]
