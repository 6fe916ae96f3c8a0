"""The facts behind pairs, each with what stands at the place it came from, and the verdict about that.

What stands there is read by the source (`read_places`). If its input is not here, the staged facts answer instead, and
the verdict says so. A pair may be put together of several subjects with one name; then a fact is about one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from factmill.errors import ConfigError
from factmill.home import Home
from factmill.inputs import find_inputs
from factmill.lookup import Row
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.paq_form import paq_form
from factmill.places import Claim, Place, Reading, Readings
from factmill.project import load_source
from factmill.staged_claims import Names, StagedClaims
from factmill.templates import parse_template, template_files


class Verdict(StrEnum):
    """Whether a fact is stated where it came from, worst last."""

    STATED = "stated"
    """What stands there states the fact."""
    STAGED = "staged"
    """The input was not read; the staged facts hold the fact."""
    UNKNOWN = "unknown"
    """Nothing that could tell is here."""
    NOT_STATED = "not stated"
    """Something else stands there, or nothing."""


@dataclass(frozen=True)
class Qualifier:
    """A qualifier of a statement, with the label of its value if that is an entity."""

    name: str
    value: str
    label: str | None


@dataclass(frozen=True)
class Evidence:
    """A fact of a pair, the place that it came from, and what stands there."""

    subject: str | None
    subject_label: str | None
    predicate: str
    object: str | None
    object_label: str | None
    qualifiers: list[Qualifier]
    place: str
    file: str
    where: str
    lines: list[str]
    query: str | None
    verdict: Verdict
    reason: str


class _Roles(NamedTuple):
    """What of a fact the template takes for subject and answer. Where the template is not known, anything goes."""

    inverse: bool | None = None
    answer: str | None = None
    names: frozenset[str] = frozenset()

    def subjects(self, claim: Claim, answer: str) -> set[str]:
        """Return of whom a claim gives this answer."""
        found = set()
        if self.names <= {name for name, _ in claim.qualifiers}:
            if self.answer is None and self.inverse is not True and claim.object == answer:
                found.add(claim.subject)
            if self.answer is None and self.inverse is not False and claim.subject == answer:
                found.add(claim.object)
            asked = [value for name, value in claim.qualifiers if self.answer in (None, name)]
            if (self.answer is not None or self.inverse is None) and answer in asked:
                found.add(claim.subject)
        return found


class _Fact(NamedTuple):
    """One fact of a pair as the pair has it."""

    row: Row
    answer: str
    place: Place
    roles: _Roles

    def claims(self, claims: Sequence[Claim]) -> dict[str, Claim]:
        """Return the claims that give the answer, by whom they give it of: the pair's own subject first."""
        found: dict[str, Claim] = {}
        for claim in claims:
            if claim.predicate == self.place.predicate:
                for subject in self.roles.subjects(claim, self.answer):
                    found.setdefault(subject, claim)
        return dict(sorted(found.items(), key=lambda item: (item[0] != self.row["subject"], item[0])))


class _Judgement(NamedTuple):
    verdict: Verdict
    reason: str
    claim: Claim | None = None


class SourceEvidence:
    """Gives the evidence for pairs of one snapshot of a source."""

    def __init__(self, home: Home, scratch: Path, source: str, snapshot: str, named: Sequence[Path]) -> None:
        self._snapshot = snapshot
        self._then = _stage(home, source, snapshot)
        self._now = self._then or _current(home, source)
        self._staged = StagedClaims(self._now, scratch) if self._now else None
        self._inputs = find_inputs(self._then, named)
        self._read_places = load_source(source).read_places

    @property
    def notes(self) -> list[str]:
        """Say what one should know about where the facts were looked for."""
        notes = [self._inputs.note] if self._inputs.note else []
        if self._then is None:
            instead = f"; {self._now.manifest.snapshot}, the one in use, stands in for it" if self._now else ""
            notes.append(f"The snapshot {self._snapshot} is gone{instead}.")
        return notes

    def of_rows(self, rows: Sequence[Row]) -> list[list[Evidence]]:
        """Return the evidence for each row's facts."""
        facts = [fact for row in rows for fact in _facts(row)]
        readings: Readings = self._read_places(dict.fromkeys(fact.place for fact in facts), self._inputs)
        names = self._names(
            facts, [each for found in readings.values() for reading in found for each in reading.claims]
        )
        read = [_judged(fact, readings.get(fact.place, []), names) for fact in facts]
        unread = [fact for fact, (_, judgement) in zip(facts, read, strict=True) if judgement is None]
        claims = self._staged.of_places({fact.place: _ids(fact) for fact in unread}) if self._staged and unread else {}
        staged = [claims[fact.place].get(fact.place.text, []) for fact in unread if fact.place in claims]
        names = {**names, **self._names([], [claim for found in staged for claim in found])}
        evidence: dict[str, list[Evidence]] = {row["qa_id"]: [] for row in rows}
        for fact, (reading, judgement) in zip(facts, read, strict=True):
            final = judgement or self._judged_by_stage(fact, claims.get(fact.place, {}), reading, names)
            evidence[fact.row["qa_id"]].append(_evidence(fact, reading, final, names))
        return [evidence[row["qa_id"]] for row in rows]

    def _names(self, facts: Sequence[_Fact], claims: Sequence[Claim]) -> Names:
        """Return what all entities are called that facts or claims are about."""
        if self._staged is None or not (facts or claims):
            return {}
        ids = {identifier for fact in facts for identifier in _ids(fact)}
        ids |= {identifier for claim in claims for identifier in (claim.subject, claim.object)}
        ids |= {value for claim in claims for _, value in claim.qualifiers}
        return self._staged.names(ids)

    def _judged_by_stage(
        self, fact: _Fact, claims: dict[str, list[Claim]], reading: Reading, names: Names
    ) -> _Judgement:
        """Judge a fact by what is staged, because its input is not here."""
        if self._now is None:
            return _Judgement(Verdict.UNKNOWN, f"{reading.unread} Nothing of this source is staged either.".strip())
        snapshot = self._now.manifest.snapshot
        # In another snapshot the place means nothing.
        here = claims.get(fact.place.text, []) if self._then else [each for found in claims.values() for each in found]
        judgement = _stated(fact, here, names)
        if judgement and judgement.verdict is Verdict.STATED:
            reason = f"{reading.unread} The staged facts of {snapshot} hold the fact.".strip()
            return _Judgement(Verdict.STAGED, reason, judgement.claim)
        reason = f"{reading.unread} The staged facts of {snapshot} do not hold the fact.".strip()
        return _Judgement(Verdict.NOT_STATED if self._then else Verdict.UNKNOWN, reason)


def _judged(fact: _Fact, readings: Sequence[Reading], names: Names) -> tuple[Reading, _Judgement | None]:
    """Judge a fact by what stands at its place; no judgement where its input is not here."""
    judged = [(reading, found) for reading in readings if (found := _stated(fact, reading.claims, names))]
    if judged:
        return min(judged, key=lambda each: list(Verdict).index(each[1].verdict))
    for reading in readings:
        if reading.unread:
            return reading, None
    if not readings:
        return Reading("", fact.place.text, unread="The place is none that facts of this source have."), None
    # A template that names qualifiers reads statements that have some: those are in the file that comes last.
    reading = readings[-1 if fact.roles.names else 0]
    if not reading.lines:
        return reading, _Judgement(Verdict.NOT_STATED, "Nothing stands there that can be read.")
    said = "; ".join(f"{claim.subject} {claim.predicate} {claim.object}" for claim in reading.claims[:3])
    return reading, _Judgement(Verdict.NOT_STATED, f"What stands there states {said or 'no fact'}.")


def _stated(fact: _Fact, claims: Sequence[Claim], names: Names) -> _Judgement | None:
    """Judge by claims that give the pair's answer; None if there are none."""
    for subject, claim in fact.claims(claims).items():
        if subject == fact.row["subject"]:
            return _Judgement(Verdict.STATED, "", claim)
        if subject not in names:
            return _Judgement(Verdict.UNKNOWN, f"It is about {subject}, and nothing here tells its name.", claim)
        asked = fact.row["subject_name"] or fact.row["subject_label"] or ""
        if _is_called(names[subject], asked):
            return _Judgement(Verdict.STATED, f"It is about {subject}, which has the same name.", claim)
        return _Judgement(Verdict.NOT_STATED, f"It is about {subject}, which has another name.", claim)
    return None


def _is_called(names: Sequence[str], asked: str) -> bool:
    """Tell whether one of these names is the asked one, which may have a hint in brackets."""
    forms = {paq_form(name) for name in names}
    return paq_form(asked) in forms or paq_form(asked.rpartition(" (")[0]) in forms


def _facts(row: Row) -> list[_Fact]:
    shard: ShardName = row["shard"]
    roles = _roles(row["template"] or "", shard)
    pairs = zip(row["objects"] or [], row["places"] or [], strict=False)
    return [_Fact(row, answer, Place(shard.predicate, place), roles) for answer, place in pairs]


def _ids(fact: _Fact) -> tuple[str, ...]:
    return tuple(identifier for identifier in (fact.row["subject"], fact.answer) if identifier)


@cache
def _roles(template: str, shard: ShardName) -> _Roles:
    """Return what the project's template of this name asks for, if it is still there."""
    for path in template_files():
        if f"{path.parent.name}/{path.stem}" == template:
            try:
                parsed = parse_template(path)
            except ConfigError:
                return _Roles()
            if parsed.shard == shard:
                names = frozenset({*parsed.matter.qualifiers.values(), *filter(None, [parsed.matter.answer])})
                return _Roles(parsed.matter.inverse, parsed.matter.answer, names)
    return _Roles()


def _evidence(fact: _Fact, reading: Reading, judgement: _Judgement, names: Names) -> Evidence:
    claim = judgement.claim

    def label(identifier: str | None) -> str | None:
        return names[identifier][0] if identifier and names.get(identifier) else None

    subject, stated = (claim.subject, claim.object) if claim else (fact.row["subject"], fact.answer)
    return Evidence(
        subject=subject,
        subject_label=label(subject),
        predicate=fact.place.predicate,
        object=stated,
        object_label=label(stated),
        qualifiers=[Qualifier(name, value, label(value)) for name, value in claim.qualifiers] if claim else [],
        place=fact.place.text,
        file=reading.file,
        where=reading.where,
        lines=list(reading.lines),
        query=reading.query,
        verdict=judgement.verdict,
        reason=judgement.reason,
    )


def _stage(home: Home, source: str, snapshot: str) -> Stage | None:
    """Open a snapshot, if it is there."""
    folder = home.staged(source) / snapshot
    try:
        return Stage(folder) if snapshot.isalnum() and folder.is_dir() else None
    except ConfigError:
        return None


def _current(home: Home, source: str) -> Stage | None:
    try:
        return Stage.current(home, source)
    except ConfigError:
        return None
