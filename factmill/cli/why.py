"""How `factmill corpus why` shows a pair to people. Whatever comes from data is shown without what a terminal obeys."""

from factmill.cli.output import say
from factmill.evidence import Evidence, Verdict
from factmill.plain import harmless
from factmill.why import Why

_MOST_FACTS = 10
_MOST_LINES = 12
_MOST_CHARACTERS = 500
_VERDICTS = {
    Verdict.STATED: "It states the fact.",
    Verdict.STAGED: "",
    Verdict.UNKNOWN: "Not checked.",
    Verdict.NOT_STATED: "WARNING: the fact is not stated there.",
}


def say_why(one: Why) -> None:
    """Print where a pair comes from."""
    say(_shown(one.question))
    _row("answer", "; ".join(one.answer))
    _row("pair", f"{one.qa_id} in {one.shard}, {one.kind}")
    if one.wording:
        _row("wording", f"{one.wording}  (template {one.template})")
    if one.subject:
        called = f", here called {one.subject_name}" if one.subject_name != one.subject_label else ""
        _row("subject", f"{one.subject} ({one.subject_label}){called}")
    if one.wikipedia_title:
        _row("article", f"{one.wikipedia_title}, in the English Wikipedia")
    _row("licence", f"{one.licence or 'not stated'}{f', as of {one.as_of}' if one.as_of else ''}")
    _row("written", f"version {one.version} of the corpus, by run {one.run}, of snapshot {one.snapshot or '(none)'}")
    if one.retired_in is not None:
        _row("retired", f"in version {one.retired_in}, {one.retired_when:%Y-%m-%d}; what follows is as it was before")
    for note in one.notes:
        _row("note", note)
    for number, fact in enumerate(one.facts[:_MOST_FACTS], start=1):
        _say_fact(f"fact {number}" if len(one.facts) > 1 else "fact", fact)
    hidden = one.facts[_MOST_FACTS:]
    if hidden:
        n_bad = sum(fact.verdict is Verdict.NOT_STATED for fact in hidden)
        _row("", f"{len(hidden):,} more facts, {n_bad:,} of them not stated where they came from: --json shows all.")


def _say_fact(heading: str, fact: Evidence) -> None:
    if fact.subject is not None:
        beside = "".join(f", {each.name} {_named(each.value, each.label)}" for each in fact.qualifiers)
        stated = f"{_named(fact.subject, fact.subject_label)} {fact.predicate} {_named(fact.object, fact.object_label)}"
        _row(heading, f"{stated}{beside}")
    _row("from", ", ".join(filter(None, [fact.file, fact.where or fact.place])))
    if fact.query:
        _row("query", fact.query)
    for line in fact.lines[:_MOST_LINES]:
        _row("", line)
    if len(fact.lines) > _MOST_LINES:
        _row("", f"… and {len(fact.lines) - _MOST_LINES:,} more lines of the statement")
    _row("", " ".join(filter(None, [_VERDICTS[fact.verdict], fact.reason])))


def _named(identifier: str | None, label: str | None) -> str:
    return f"{identifier} ({label})" if label else str(identifier)


def _row(name: str, text: str) -> None:
    say(f"  {name:8} {_shown(text)}".rstrip())


def _shown(text: str) -> str:
    cut = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    # A tab only moves on.
    return "\t".join(map(harmless, cut.split("\t")))
