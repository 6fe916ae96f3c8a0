import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.json_arrays import ArrayReader, begins_array

NO_JSON = "no JSON array|more follows|Expecting|Unterminated|Invalid"
OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5) | st.lists(st.integers()), max_size=3))


def _in_pieces(text: str, n_characters: int) -> ArrayReader:
    return ArrayReader(text[start : start + n_characters] for start in range(0, len(text), n_characters))


@given(OBJECTS, st.sampled_from([None, 1]), st.booleans(), st.integers(1, 9))
def test_entries_do_not_depend_on_where_the_text_is_cut(
    entries: list[dict[str, object]], indent: int | None, is_object: bool, n_characters: int
) -> None:
    whole = {"Version": 1.0, "Data": entries, "Domain": "Web"} if is_object else entries
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    reader = _in_pieces(text, n_characters)
    assert begins_array(text)
    assert (list(reader.entries()), reader.n_read) == (entries, len(entries))


@given(OBJECTS.filter(bool), st.integers(1, 9), st.data())
def test_a_text_that_ends_too_soon_is_an_error(
    entries: list[dict[str, object]], n_characters: int, data: st.DataObject
) -> None:
    text = json.dumps({"Data": entries})
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ValueError, match=NO_JSON):
        list(_in_pieces(text[:cut], n_characters).entries())


@pytest.mark.parametrize(
    "text", ["[1] 2", "[1,]", "[,1]", "[1 2]", '{"Data": [1]} x', '{"Data": [1], "a": [2]}', "[1}"]
)
def test_what_is_no_array_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=NO_JSON):
        list(_in_pieces(text, 100).entries())


@pytest.mark.parametrize("text", ["[{", "\n[ \n{", "[]", '{"Domain": "x", "Data": [', '{"Data":[{"Question"'])
def test_an_array_of_objects_is_known_by_its_beginning(text: str) -> None:
    assert begins_array(text)


@pytest.mark.parametrize("text", ["[untitled]", '["a"]', '{"question": "a"}', '{"a": {"Data": []}}', "", "Data"])
def test_another_beginning_is_none(text: str) -> None:
    assert not begins_array(text)
