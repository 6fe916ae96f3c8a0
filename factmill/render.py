"""Rendering: a wording over many rows in one call.

Jinja costs far more to start than to run, so the wording is wrapped in a loop once and the output split again; it
equals what a `render` call a row gives. Labels are data: they are values of variables, never part of a template's
source.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError
from jinja2.exceptions import SecurityError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from factmill.errors import ConfigError

_ROW_END = "\x01"
"""Not a white space for Jinja, whose `-%}` takes white space away, and refused in labels."""

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
def _environment() -> _Environment:
    return _Environment(undefined=StrictUndefined, autoescape=False)


def paq_form(question: str) -> str:
    """Write a question as PAQ does: lower case, single spaces, no question mark at the end.

    >>> paq_form("Who sings  Bad? ")
    'who sings bad'
    """
    return unicodedata.normalize("NFC", " ".join(question.split()).strip("?").lower().strip())


def wording_faults(wording: str, variables: frozenset[str], optional: frozenset[str] = frozenset()) -> list[str]:
    """Say what is wrong with a wording, as ends of the sentence "the wording …".

    It must use all variables and may use the optional ones.
    """
    try:
        used = find_undeclared_variables(_environment().parse(wording))
    except TemplateSyntaxError as error:
        return [f"is not valid Jinja: {str(error.message).rstrip('.')}"]
    known = variables | optional
    faults = [
        f"uses '{name}', which is not defined (there is: {', '.join(sorted(known))})" for name in sorted(used - known)
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
    try:
        return sorted(find_undeclared_variables(_environment().parse(wording)))
    except TemplateSyntaxError as error:
        raise ConfigError(f"the wording '{wording}' is not valid Jinja: {error.message}") from error


def render(wording: str, columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Render one wording for every row; columns are the variables' values."""
    names = used_variables(wording)
    # With one variable Jinja's loop takes the values as they are, with several it unpacks a row.
    rows = columns[names[0]] if len(names) == 1 else list(zip(*(columns[name] for name in names), strict=True))
    try:
        text = _looped(wording, tuple(names)).render(rows=rows)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise ConfigError(f"the wording '{wording}' cannot be rendered: {error}") from error
    questions = text.split(_ROW_END)[:-1]
    if len(questions) != len(rows):
        raise ConfigError(f"the wording '{wording}' or a name holds the control character U+0001, which marks its end.")
    return questions


@cache
def _looped(wording: str, names: tuple[str, ...]) -> Template:
    return _environment().from_string(f"{{% for {', '.join(names)} in rows %}}{wording}{_ROW_END}{{% endfor %}}")


def _literal_texts(wording: str) -> list[str]:
    return [text for _, kind, text in _environment().lex(wording) if kind == "data"]
