"""The forms in which question sets are published, each recognised by the keys of its first record."""

from enum import StrEnum
from types import MappingProxyType

from factmill.records import RecordFault


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
_KEYS = (
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


def shape_of(row: object) -> QuestionShape:
    """Recognise the form of a file by its first record."""
    if not isinstance(row, dict):
        raise RecordFault("no JSON object, so no question set of a known form")
    for shape, keys in _KEYS:
        if keys <= row.keys():
            return shape
    seen = ", ".join(map(repr, sorted(row)[:8])) or "none"
    raise RecordFault(f"no question set of a known form, by its keys: {seen}")


def known_shapes() -> str:
    """Say which forms are known.

    >>> known_shapes()[:54]
    'Known are nq-open: {"question": "…", "answer": ["…"]};'
    """
    return f"Known are {'; '.join(f'{shape}: {example}' for shape, example in EXAMPLES.items())}."
