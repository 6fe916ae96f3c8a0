"""What is wrong with templates: findings about files that can be read, and about those that cannot.

A template that has any of these faults is refused wherever it is used; `factmill templates lint` lists them all.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from factmill.errors import ConfigError
from factmill.front_matter import DESCRIPTION, OBJECT, SEE, Example
from factmill.kinds import Kind
from factmill.names import ShardName
from factmill.templates import Template, parse_template


class Finding(NamedTuple):
    """One thing wrong with a template."""

    path: Path
    message: str


def lint(paths: list[Path]) -> list[Finding]:
    """Return everything that is wrong with these files, including two files for one shard."""
    findings: list[Finding] = []
    by_shard: dict[ShardName, list[Path]] = defaultdict(list)
    for path in paths:
        try:
            template = parse_template(path)
        except ConfigError as error:
            findings.append(Finding(path, str(error).removeprefix(f"{path}: ").removesuffix(f" {SEE}")))
            continue
        by_shard[template.shard].append(path)
        findings += [Finding(path, fault) for fault in template_faults(template)]
    for shard, several in by_shard.items():
        findings += [Finding(path, f"another file is for {shard} too: {several[0].name}.") for path in several[1:]]
    return findings


def template_faults(template: Template) -> Iterator[str]:
    """Yield what is wrong with the wordings and the example of a template, as sentences."""
    from factmill.render import is_plain, render, used_variables, wording_faults

    faulty = False
    for wording in template.wordings:
        for fault in wording_faults(wording, template.variables, frozenset({DESCRIPTION})):
            faulty = True
            yield f"the wording '{wording}' {fault}."
    if faulty:
        return
    for wording in template.wordings:
        if not is_plain(wording):
            try:
                render(wording, {name: ["name"] for name in used_variables(wording)})
            except ConfigError as error:
                faulty = True
                yield str(error)
    if template.matter.example and not faulty:
        yield from _example_faults(template, template.matter.example)


def _example_faults(template: Template, example: Example) -> Iterator[str]:
    from factmill.answers import answer_forms
    from factmill.paq_form import paq_form
    from factmill.render import render, used_variables

    values = {"subject": example.subject, OBJECT: example.object, DESCRIPTION: "", **example.qualifiers}
    used = used_variables(template.wordings[0])
    if DESCRIPTION not in used:
        (question,) = render(template.wordings[0], {name: [values[name]] for name in used})
        if paq_form(question) != example.question:
            yield f"the example's question is '{example.question}', but the first wording gives '{paq_form(question)}'."
    if template.matter.answer is None:
        kind = next(iter(template.matter.answer_kinds), Kind.ENTITY)
        named = kind in (Kind.ENTITY, Kind.TEXT)
        forms = (example.object,) if named else answer_forms(kind, example.object, unit=template.matter.unit)
        if not forms or forms[0] != example.answer:
            expected = f"'{forms[0]}'" if forms else "no answer at all"
            yield f"the example's answer is '{example.answer}', but its object gives {expected}."
    if f" {paq_form(example.answer)} " in f" {example.question} ":
        yield "the example's answer stands in its question."
