"""The forms in which question sets are published, each recognised by the keys of its first record."""

from enum import StrEnum
from types import MappingProxyType

from factmill.shapes import KnownShapes


class QuestionShape(StrEnum):
    """Whose form a question set has. NQ-open's is also PAQ's; its records may name the ids of a fact."""

    NQ_OPEN = "nq-open"
    TRIVIAQA = "triviaqa"
    WEBQUESTIONS = "webquestions"
    POPQA = "popqa"
    ENTITYQUESTIONS = "entityquestions"
    KILT = "kilt"
    QAMPARI = "qampari"


EXAMPLES = MappingProxyType(
    {
        QuestionShape.NQ_OPEN: '{"question": "…", "answer": ["…"]}',
        QuestionShape.TRIVIAQA: '{"Question": "…", "QuestionId": "…", "Answer": {"Value": "…", "Aliases": ["…"]}}',
        QuestionShape.WEBQUESTIONS: '{"utterance": "…", "targetValue": "(list (description \\"…\\"))"}',
        QuestionShape.POPQA: '{"question": "…", "possible_answers": "[\\"…\\"]"} or a TSV with these columns',
        QuestionShape.ENTITYQUESTIONS: '{"question": "…", "answers": ["…"]}',
        QuestionShape.KILT: '{"id": "…", "input": "…", "output": [{"answer": "…"}]}',
        QuestionShape.QAMPARI: (
            '{"qid": "…", "question_text": "…", "answer_list": [{"answer_text": "…", "aliases": ["…"]}]}'
        ),
    }
)

# In PAQ's form any other keys may stand beside its own, "answers" among them.
_KEYS: tuple[tuple[QuestionShape, set[str]], ...] = (
    (QuestionShape.NQ_OPEN, {"question", "answer"}),
    (QuestionShape.QAMPARI, {"question_text"}),
    (QuestionShape.KILT, {"id", "output"}),
    (QuestionShape.KILT, {"id", "input"}),
    (QuestionShape.TRIVIAQA, {"Question", "QuestionId"}),
    (QuestionShape.WEBQUESTIONS, {"utterance"}),
    (QuestionShape.POPQA, {"question", "possible_answers"}),
    (QuestionShape.ENTITYQUESTIONS, {"question", "answers"}),
    (QuestionShape.NQ_OPEN, {"question"}),
)

QUESTION_SHAPES = KnownShapes("questions", EXAMPLES, _KEYS)
