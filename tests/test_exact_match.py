import re
import string

from hypothesis import example, given
from hypothesis import strategies as st

from factmill.scoring.exact import normalise_answer

TEXTS = st.lists(st.sampled_from(["the", "A", "an", "then", " ", "-", ".", "_", "x", "é", "–", "\t", "\0", "İ"])).map(
    "".join
)


@given(TEXTS | st.text())
@example("a\x1fb")
@example("an\x7fa")
def test_answers_are_normalised_character_by_character(text: str) -> None:
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    assert normalise_answer(text) == " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())
