"""An experiment, from its questions to its tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from factmill.ablation.curing import find_cures, measured, treated
from factmill.ablation.experiment import Experiment
from factmill.ablation.rankings import Searched, Searcher
from factmill.ablation.result import Ablation, Curing, Part, Selection, Table
from factmill.ablation.selection import choose_each, choose_forward
from factmill.ablation.tables import Maker
from factmill.ablation.variants import (
    Combination,
    Outcome,
    add_each,
    add_in_turn,
    each_part,
    each_source,
    leave_each_out,
    together,
)
from factmill.corpus import Corpus
from factmill.cures import save_cures
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName
from factmill.paq_form import paq_form
from factmill.questions import QuestionSet, read_questions
from factmill.search import Retriever
from factmill.settings import settings
from factmill.views import read_views

RULES = {False: "each that gains {:g} points of EM-{}", True: "forward, while one gains {:g} points of EM-{}"}


def run_experiment(home: Home, experiment: Experiment, encoder: str | None = None, *, save: bool = False) -> Ablation:
    """Run an experiment on the latest version of a corpus, with the encoder of the settings if none is named.

    Told to save, it keeps the cures that it chose in the home.
    """
    if save and not experiment.cure:
        raise ConfigError("there is nothing to save without --cure.")
    shards = experiment.chosen(list(Corpus(home).latest().shards()))
    retriever = Retriever(home, [experiment.base, *shards], encoder=encoder, exact=True, cured=not experiment.cure)
    views = [view.name for view in read_views(home)] if experiment.cure else experiment.views
    searcher = Searcher(home, retriever, views)
    work = _Work(experiment, searcher, shards)
    selection: Selection | None = None
    curing: list[Curing] | None = None
    if experiment.select_on:
        tables, selection = work.selected()
    elif experiment.cure:
        tables, curing = work.cured()
    else:
        tables = [work.measured(read_questions(path)) for path in experiment.questions]
    if save and curing is not None:
        save_cures(home, retriever.encoder, {one.shard: one.cure for one in curing})
    return Ablation(
        experiment=experiment,
        corpus_version=retriever.corpus_version,
        encoder=f"{retriever.encoder.name} {retriever.encoder.digest}",
        settings={name: getattr(settings(), name) for name in ("word_weight", "exact_rows", "search_width")},
        cures=retriever.cures,
        base=experiment.base,
        shards=shards,
        tables=tables,
        selection=selection,
        curing=curing,
    )


@dataclass(frozen=True)
class _Work:
    experiment: Experiment
    searcher: Searcher
    shards: Sequence[ShardName]

    @cached_property
    def _parts(self) -> list[Part]:
        views = self.experiment.views
        return list(dict.fromkeys(part for view in views for part in self.searcher.parts(self.shards, view)))

    @cached_property
    def _maker(self) -> Maker:
        return Maker(self.searcher, self.experiment.k)

    def _searched(self, questions: QuestionSet, parts: Sequence[Part]) -> Searched:
        return self.searcher.search(questions, Part(self.experiment.base), parts, self.experiment.depth)

    def measured(self, questions: QuestionSet) -> Table:
        """Compare what the experiment says on one question set."""
        searched = self._searched(questions, self._parts)
        if self.experiment.by.startswith("leave"):
            return self._left_out(searched)
        return self._added(f"by {self.experiment.by}", searched, add_each(searched, self._combinations()))

    def _left_out(self, searched: Searched) -> Table:
        by = self.experiment.by
        groups = each_source(self._parts) if by == "leave-one-source-out" else each_part(self._parts)
        everything = Outcome(Combination("base + all", ()), searched.merged(self._parts))
        return self._maker.table(f"by {by}", searched, everything, leave_each_out(searched, groups), leaves_out=True)

    def cured(self) -> tuple[list[Table], list[Curing]]:
        """Choose cures on one half of the questions, and compare on the other half what is there with and without."""
        questions = read_questions(self.experiment.questions[0])
        searched, k = self._searched(questions, self._parts), self.experiment.select_k
        odd, cures = find_cures(self.searcher, searched, self._parts, k)
        steps = self.searcher.retriever.steps
        everything = Outcome(Combination("base + all", ()), odd.merged(self._parts))
        better = Outcome(Combination("base + all, cured", ()), treated(odd, cures, steps).merged(self._parts))
        tables = [self._left_out(searched), self._maker.table("cured", odd, everything, [better])]
        return tables, measured(odd, self._parts, cures, k, steps)

    def _added(self, title: str, searched: Searched, outcomes: Sequence[Outcome]) -> Table:
        base = Outcome(Combination("base", ()), searched.rankings[searched.base])
        return self._maker.table(title, searched, base, outcomes)

    def _combinations(self) -> list[Combination]:
        """Return every part, or for each view the sources and all of them."""
        if self.experiment.by == "predicate":
            return each_part(self._parts)
        found: dict[tuple[Part, ...], Combination] = {}
        for view in self.experiment.views:
            parts = self.searcher.parts(self.shards, view)
            found |= {one.parts: one for one in _sources_and("all", parts)}
        return list(found.values())

    def selected(self) -> tuple[list[Table], Selection]:
        """Choose parts on the development sets and measure them on the others."""
        chosen_on = [read_questions(path) for path in self.experiment.select_on]
        reported_on = [read_questions(path) for path in self.experiment.report_on]
        sets = [self._searched(questions, self._parts) for questions in chosen_on]
        given = self._parts, self.experiment.select_k, self.experiment.min_gain
        is_greedy = self.experiment.greedy
        chosen = choose_forward(sets, *given) if is_greedy else choose_each(sets, *given)
        add, shown = (add_in_turn, chosen) if is_greedy else (add_each, self._parts)
        tables = [self._added("choosing", one, add(one, each_part(shown))) for one in sets]
        for questions in reported_on:
            searched = self._searched(questions, chosen)
            tables.append(self._added("report", searched, self._reported(searched, chosen)))
        rule = RULES[is_greedy].format(self.experiment.min_gain, self.experiment.select_k)
        return tables, Selection(rule, chosen, _n_shared(chosen_on, reported_on))

    def _reported(self, searched: Searched, chosen: Sequence[Part]) -> list[Outcome]:
        if self.experiment.greedy:
            return add_in_turn(searched, each_part(chosen))
        if self.experiment.by == "source":
            return add_each(searched, _sources_and("chosen", chosen))
        both = [*each_part(chosen), together("chosen", chosen)]
        return add_each(searched, both if len(chosen) > 1 else both[:1])


def _sources_and(name: str, parts: Sequence[Part]) -> list[Combination]:
    sources = each_source(parts)
    return [*sources, together(name, parts)] if len(sources) > 1 else sources


def _n_shared(chosen_on: Sequence[QuestionSet], reported_on: Sequence[QuestionSet]) -> int:
    seen = {paq_form(question) for one in chosen_on for question in one.questions}
    return sum(paq_form(question) in seen for one in reported_on for question in one.questions)
