"""The scores of other fields, for question sets in their forms: KILT's and QAMPARI's."""

from dataclasses import dataclass

from factmill.answered import Answered
from factmill.predictions import Predictions
from factmill.questions import QuestionSet
from factmill.scoring.kilt import KiltGold, KiltGuess, KiltScores, kilt_point, mean_of_points
from factmill.scoring.qampari import QampariScores, answer_recall, qampari_scores, set_scores

RECALL_KS = (5, 50)


@dataclass(frozen=True)
class PublishedScores:
    """What a question set's own programme would print; None where the set has another form. All are from 0 to 1."""

    kilt: KiltScores | None = None
    has_pages: bool = False
    """Whether the system names pages; without them what KILT says of evidence means nothing."""
    qampari: QampariScores | None = None
    answer_recall: dict[int, float] | None = None
    """QAMPARI's ARecall@k, by k: of retrieved pairs, not of a predicted set."""
    n_extra: int = 0
    """Predictions that no question asked for."""


def published_scores(questions: QuestionSet, answered: Answered, predictions: Predictions | None) -> PublishedScores:
    """Score the answers as the question set's own programme does."""
    pages = predictions.pages if predictions else None
    n_extra = predictions.n_extra if predictions else 0
    kilt = None
    if questions.evidence is not None and questions.ids is not None:
        gold = map(KiltGold, questions.ids, questions.gold, questions.evidence)
        guesses = map(KiltGuess, questions.ids, answered.given, pages or [()] * len(questions))
        kilt = mean_of_points(list(map(kilt_point, gold, guesses)), n_extra=n_extra)
    qampari, recall = None, None
    if questions.answer_sets is not None and predictions and predictions.is_set:
        qampari = qampari_scores(list(map(set_scores, answered.answers, questions.answer_sets)))
    elif questions.answer_sets is not None:
        recall = {
            k: sum(answer_recall(*pair, k) for pair in zip(answered.answers, questions.answer_sets, strict=True))
            / len(questions)
            for k in RECALL_KS
        }
    return PublishedScores(kilt, pages is not None, qampari, recall, n_extra)
