"""Where a pair comes from: its template, its run and snapshot, its facts, and what stands where each came from.

    for pair in why(Home.open(Path("data")), ["3f2a"]):
        print(pair.question, pair.verdict)

The pairs of one snapshot are looked up together, so a thousand cost little more than what they have in common. A pair
that is no longer in the corpus is looked for in its history.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from factmill.base_evidence import base_evidence
from factmill.corpus import Corpus
from factmill.corpus_log import LogEntry, read_log
from factmill.corpus_version import CorpusVersion
from factmill.errors import ConfigError, CorpusError
from factmill.evidence import Evidence, SourceEvidence, Verdict
from factmill.home import Home
from factmill.lookup import ID_LENGTH, MOST_FOUND, Lookup, Row
from factmill.names import ShardName
from factmill.plain import harmless
from factmill.project import source_names

_MOST_VERSIONS = 200
"""Commits that retired pairs and are searched for one that is no longer there."""


@dataclass(frozen=True)
class Why:
    """A pair and where it comes from."""

    qa_id: str
    question: str
    answer: list[str]
    shard: ShardName
    kind: str
    template: str | None
    wording: str | None
    subject: str | None
    subject_label: str | None
    subject_name: str | None
    objects: list[str]
    licence: str | None
    as_of: date | None
    wikipedia_title: str | None
    run: str
    snapshot: str
    version: int
    """The commit that wrote the shard as the pair stands there."""
    retired_in: int | None
    """The commit that took the pair out, if it is no longer in the corpus."""
    retired_when: datetime | None
    notes: list[str]
    facts: list[Evidence]

    @property
    def verdict(self) -> Verdict:
        """Return the worst of what was found about the facts."""
        order = list(Verdict)
        return max((fact.verdict for fact in self.facts), key=order.index, default=Verdict.UNKNOWN)


@dataclass(frozen=True)
class _Found:
    """A row, the commit that wrote it, and the one that took it out if it is gone."""

    row: Row
    written: LogEntry
    retired: LogEntry | None = None


class AmbiguousPair(ConfigError):
    """A text that means several pairs."""


def why(home: Home, texts: Sequence[str], named: Sequence[Path] = ()) -> list[Why]:
    """Tell where pairs come from; each is named by its id, the beginning of it, or its question.

    `named` are files or folders to look for the input in, where it lies no longer where it was staged from.
    """
    with home.scratch() as scratch:
        found = _find(home, scratch, texts)
        groups: dict[tuple[str, str], list[_Found]] = defaultdict(list)
        # Several texts may mean one pair.
        for each in {one.row["qa_id"]: one for one in found.values()}.values():
            groups[each.row["source"], each.written.snapshot or ""].append(each)
        explained: dict[str, Why] = {}
        for (source, snapshot), members in sorted(groups.items()):
            rows = [member.row for member in members]
            if source in source_names():
                evidence = SourceEvidence(home, scratch, source, snapshot, named)
                facts, notes = evidence.of_rows(rows), evidence.notes
            else:
                facts, notes = base_evidence(rows, snapshot, named), []
            for member, of_row in zip(members, facts, strict=True):
                explained[member.row["qa_id"]] = _why(member, of_row, notes)
    return [explained[found[text].row["qa_id"]] for text in texts]


def _why(found: _Found, facts: list[Evidence], notes: list[str]) -> Why:
    row = found.row
    n_objects, n_places = len(row["objects"] or []), len(row["places"] or [])
    if n_objects != n_places:
        notes = [*notes, f"The pair has {n_objects:,} objects and {n_places:,} places: some facts are not shown."]
    return Why(
        qa_id=row["qa_id"],
        question=row["question"],
        answer=row["answer"],
        shard=row["shard"],
        kind=row["kind"],
        template=row["template"],
        wording=row["wording"],
        subject=row["subject"],
        subject_label=row["subject_label"],
        subject_name=row["subject_name"],
        objects=row["objects"] or [],
        licence=row["licence"],
        as_of=row["as_of"],
        wikipedia_title=row["wikipedia_title"],
        run=found.written.run or "",
        snapshot=found.written.snapshot or "",
        version=found.written.version,
        retired_in=found.retired.version if found.retired else None,
        retired_when=found.retired.when if found.retired else None,
        notes=notes,
        facts=facts,
    )


def _find(home: Home, scratch: Path, texts: Sequence[str]) -> dict[str, _Found]:
    """Return what each text means."""
    version = Corpus(home).latest()
    if version.number is None:
        raise ConfigError("the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first.")
    log = [entry for entry in read_log(home) if entry.changes and entry.version <= version.number]
    rows: dict[str, Row] = {}
    found: dict[str, _Found] = {}
    with Lookup(scratch, version) as lookup:
        by_id = lookup.by_ids({text for text in texts if len(text) == ID_LENGTH})
        for text in dict.fromkeys(texts):
            candidates = [by_id[text]] if text in by_id else lookup.by_text(text)
            if candidates:
                rows[text] = _only_one(text, candidates)
    for text in dict.fromkeys(texts):
        if text in rows:
            found[text] = _Found(rows[text], _written(log, rows[text]["shard"]))
        else:
            found[text] = _find_retired(home, scratch, version, log, text)
    return found


def _only_one(text: str, rows: Sequence[Row]) -> Row:
    if len(rows) == 1:
        return rows[0]
    n_pairs = f"at least {len(rows)}" if len(rows) >= MOST_FOUND else str(len(rows))
    listed = "".join(f"\n  {row['qa_id']}  {row['shard']}  {harmless(row['question'])}" for row in rows)
    raise AmbiguousPair(f"{harmless(text[:80])!r} means {n_pairs} pairs. Name one by its id:{listed}")


def _written(log: Sequence[LogEntry], shard: ShardName) -> LogEntry:
    """Return the last commit that wrote a shard."""
    entry = next((entry for entry in log if entry.shard == str(shard)), None)
    if entry is None:
        raise CorpusError(f"the history of the corpus does not say who wrote {shard}.")
    return entry


def _find_retired(home: Home, scratch: Path, version: CorpusVersion, log: Sequence[LogEntry], text: str) -> _Found:
    """Look for a pair in what commits took out, the last first."""
    retiring = [entry for entry in log if entry.changes and entry.changes.n_retired]
    n_gone = 0
    for entry in retiring[:_MOST_VERSIONS]:
        shard = ShardName.parse(str(entry.shard))
        try:
            with Lookup(scratch, Corpus(home).at(entry.version - 1), shard) as lookup:
                candidates = lookup.by_text(text)
        except CorpusError:
            n_gone += 1
            continue
        if candidates:
            row = _only_one(text, candidates)
            with Lookup(scratch, version, shard) as now:
                if not now.by_ids([row["qa_id"]]):
                    earlier = [each for each in log if each.version < entry.version]
                    return _Found(row, _written(earlier, shard), entry)
    told = harmless(text[:80])
    if n_gone:
        raise ConfigError(
            f"no pair is meant by {told!r}, and {n_gone:,} earlier versions that may hold it can no longer be read."
        )
    searched = f"the last {_MOST_VERSIONS:,} of {len(retiring):,}" if len(retiring) > _MOST_VERSIONS else "all"
    raise ConfigError(
        f"no pair is meant by {told!r}, now or before {searched} commits that retired pairs."
        " Give an id, its beginning, or a question as the corpus has it."
    )
