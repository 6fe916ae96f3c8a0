"""The error sheet: what is suggested, what a spreadsheet may do to the file, and the table."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.error_sheet import (
    COLUMNS,
    ErrorTable,
    SheetRow,
    error_table,
    read_error_sheet,
    sample_mistakes,
    write_error_sheet,
)
from factmill.errors import ConfigError, SourceFormatError
from factmill.mistakes import Category, Mistake, RetrievedPair, Suggestion, suggest
from factmill.names import ShardName
from factmill.spreadsheet import harmless_cell, plain_cell, read_sheet, write_sheet

_OTHER = RetrievedPair("who sang goodbye", "Spice Girls", 0.81)
_SONG = Mistake("who sang hello", ("Adele", "Adele Adkins"), (_OTHER,))


def _with(mistake: Mistake, **changes: object) -> Mistake:
    return Mistake(**{**vars(mistake), **changes})


def _asked(*pairs: RetrievedPair, **hints: object) -> Suggestion:
    return suggest(_with(_SONG, retrieved=pairs, **hints))


def test_an_answer_that_is_only_written_otherwise_is_of_another_form_or_granularity() -> None:
    assert [_asked(_OTHER, part=part) for part in ("name", "amount", "date")] == [
        Suggestion(Category.FORM, "EM_norm accepts an answer by its name"),
        Suggestion(Category.FORM, "EM_norm accepts an answer by its amount"),
        Suggestion(Category.GRANULARITY, "EM_norm accepts an answer by its date"),
    ]


def test_the_same_question_with_another_answer_is_a_wrong_pair() -> None:
    expected = Suggestion(Category.WRONG_PAIR, "the same question is in the corpus with another answer: Lionel Richie")
    pair = RetrievedPair("Who sang  Hello?", "Lionel Richie")
    assert _asked(_OTHER, pair) == expected
    assert _asked(pair, RetrievedPair("who sang hello", "the Lionel Richie!")) == expected


def test_the_same_question_with_several_answers_is_ambiguous() -> None:
    expected = Suggestion(Category.AMBIGUOUS, "the same question is in the corpus with 2 answers")
    one, other = RetrievedPair("who sang hello", "Lionel Richie"), RetrievedPair("who sang hello", "Beyoncé")
    assert _asked(one, _OTHER, other) == expected
    assert _asked(RetrievedPair("who sang hello", "Lionel Richie", 0.9, 2)) == expected


def test_what_is_not_among_the_first_five_tells_nothing() -> None:
    assert _asked(*[_OTHER] * 5, RetrievedPair("who sang hello", "Lionel Richie")) == Suggestion(None, "")


def test_the_same_question_with_a_gold_answer_is_no_wrong_pair() -> None:
    assert _asked(_OTHER, RetrievedPair("who sang hello", "adele")) == Suggestion(None, "")


def test_a_staged_fact_means_that_structured_data_would_cover_it() -> None:
    shard = ShardName.parse("wikidata/P175")
    expected = Suggestion(Category.STRUCTURED, "a staged fact answers it: wikidata/P175")
    assert _asked(_OTHER, fact=shard, was_fact_looked_for=True) == expected
    assert _asked(fact=shard, is_gold_in_corpus=True) == expected


def test_coverage_is_suggested_only_where_somebody_has_looked() -> None:
    looked = Suggestion(Category.UNSTRUCTURED, "no pair has a gold answer, and no staged fact answers it")
    assert _asked(_OTHER, is_gold_in_corpus=False, was_fact_looked_for=True) == looked
    assert _asked(_OTHER, is_gold_in_corpus=False) == Suggestion(
        None, "no pair has a gold answer; nobody looked for a staged fact"
    )
    assert _asked(_OTHER, is_gold_in_corpus=True, was_fact_looked_for=True) == Suggestion(None, "")
    assert _asked(_OTHER, was_fact_looked_for=True) == Suggestion(None, "")


def test_what_says_most_directly_comes_first() -> None:
    shard, pair = ShardName.parse("wikidata/P175"), RetrievedPair("who sang hello", "Lionel Richie")
    assert _asked(pair, part="name", fact=shard).category is Category.FORM
    assert _asked(pair, fact=shard).category is Category.WRONG_PAIR


def test_a_sample_depends_on_questions_alone() -> None:
    many = [_with(_SONG, question=f"question {number}") for number in range(200)]
    sample = sample_mistakes(many, 20)
    assert sample_mistakes([*many[::-1], *many], 20) == sample
    assert sample_mistakes(many, 10) == sample[:10]
    assert len({one.question for one in sample}) == 20
    assert sample_mistakes(many, 20, seed=1) != sample
    # One more question takes the place of one at most.
    more = sample_mistakes([*many, _SONG], 20)
    assert len({one.question for one in more} & {one.question for one in sample}) >= 19
    assert sample_mistakes(many[:3], 20, seed=2) == sample_mistakes(many[:3], 3, seed=2)


def test_a_sheet_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    retrieved = (RetrievedPair("who sang hello", "Lionel Richie", 0.987), RetrievedPair("wer, „wo“; \n was?", "-5"))
    mistakes = [_with(_SONG, retrieved=retrieved), _with(_SONG, question='=HYPERLINK("x")', gold=("+1", "'a"))]
    assert write_error_sheet(tmp_path / "sheet.csv", mistakes) == 2
    assert sorted(read_error_sheet(tmp_path / "sheet.csv"), key=lambda row: row.question) == [
        SheetRow('=HYPERLINK("x")', "+1; 'a", ("who sang goodbye → Spice Girls (0.81)",), "", "", None),
        SheetRow(
            "who sang hello",
            "Adele; Adele Adkins",
            ("who sang hello → Lionel Richie (0.99)", "wer, „wo“; \n was? → -5"),
            "wrong pair",
            "the same question is in the corpus with another answer: Lionel Richie",
            None,
        ),
    ]


def test_no_cell_is_a_formula_to_a_spreadsheet(tmp_path: Path) -> None:
    odd = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "＝1", "'=1", "''", "'", ""]
    write_sheet(tmp_path / "sheet.csv", ["odd", "same"], [(text, "x") for text in odd])
    text = (tmp_path / "sheet.csv").read_bytes().decode("utf-8-sig")
    written = [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")) for cell in written)
    assert [row["odd"] for _, row in read_sheet(tmp_path / "sheet.csv", ["odd"])] == odd


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n\x00;,\"aé"), max_size=6))
def test_every_cell_comes_back(text: str) -> None:
    assert plain_cell(harmless_cell(text)) == text
    # Some spreadsheets take the apostrophe for a sign of their own and leave it out.
    guarded = harmless_cell(text)
    assert guarded == text or plain_cell(guarded[1:]) in (text, text[1:])


def test_half_a_character_becomes_a_question_mark(tmp_path: Path) -> None:
    write_error_sheet(tmp_path / "sheet.csv", [_with(_SONG, question="\ud800who")])
    assert read_error_sheet(tmp_path / "sheet.csv")[0].question == "?who"


def test_a_sheet_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    write_error_sheet(tmp_path / "sheet.csv", [_SONG])
    with pytest.raises(ConfigError, match=r"sheet\.csv is there already"):
        write_error_sheet(tmp_path / "sheet.csv", [_SONG])
    with pytest.raises(ConfigError, match="cannot be written: No such file or directory"):
        write_error_sheet(tmp_path / "no" / "sheet.csv", [_SONG])


_FILLED = [
    ["who sang it", "Adele", "", "", "", "", "", "wrong pair", "why; so", "Form"],
    ["who, then", "2", "a → b", "", "", "", "", "", "", " wrong  pair "],
    ["who else", "3", "", "", "", "", "", "form", "", ""],
]
_ROWS = [
    SheetRow("who sang it", "Adele", (), "wrong pair", "why; so", Category.FORM),
    SheetRow("who, then", "2", ("a → b",), "", "", Category.WRONG_PAIR),
    SheetRow("who else", "3", (), "form", "", None),
]


def _saved(
    path: Path, rows: list[list[str]], separator: str = ",", end: str = "\r\n", columns: list[str] | None = None
) -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows([columns or list(COLUMNS), *rows])
    path.write_bytes(text.getvalue().encode())
    return path


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_spreadsheets_csv_is_read(tmp_path: Path, mark: bytes, separator: str, end: str) -> None:
    path = _saved(tmp_path / "sheet.csv", _FILLED, separator, end)
    path.write_bytes(mark + path.read_bytes())
    assert read_error_sheet(path) == _ROWS


def test_columns_may_be_moved_and_added_and_rows_deleted(tmp_path: Path) -> None:
    columns = ["note", *reversed(COLUMNS)]
    path = _saved(tmp_path / "sheet.csv", [["mine", *reversed(row)] for row in _FILLED[1:]], columns=columns)
    assert read_error_sheet(path) == _ROWS[1:]


def test_empty_cells_and_rows_at_the_end_make_no_difference(tmp_path: Path) -> None:
    rows = [[*_FILLED[0], "", ""], _FILLED[1], _FILLED[2][:8], [""] * 10, []]
    assert read_error_sheet(_saved(tmp_path / "sheet.csv", rows, ";")) == _ROWS


def _fault(path: Path) -> str:
    with pytest.raises(SourceFormatError) as error:
        read_error_sheet(path)
    return str(error.value).removeprefix(str(path))


def test_an_unknown_category_names_its_row_and_the_known_ones(tmp_path: Path) -> None:
    path = _saved(tmp_path / "sheet.csv", [_FILLED[0], [*_FILLED[1][:-1], "wrong"]])
    assert _fault(path) == (
        ", row 3: there is no category 'wrong'. There are: coverage: unstructured, coverage: structured, wrong pair,"
        " ambiguous, gold label, form, granularity."
    )


def test_a_question_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    path = _saved(tmp_path / "sheet.csv", [*_FILLED, _FILLED[1]])
    assert _fault(path) == ", row 5: the question of row 3 again. Delete one of them."


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "cp1252"])
def test_another_encoding_is_an_error_that_says_what_to_do(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(f"{','.join(COLUMNS)}\r\nwho is beyoncé\r\n".encode(encoding))
    assert _fault(path) == " is not UTF-8. Save it as CSV in UTF-8 (in Excel: CSV UTF-8)."


def test_what_is_no_sheet_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    columns = f"The first line names the columns: {', '.join(COLUMNS)}."
    assert _fault(path) == " cannot be read: No such file or directory."
    path.write_bytes(b"\xef\xbb\xbf\r\n")
    assert _fault(path) == " is empty."
    path.write_bytes(b"PK\x03\x04")
    assert _fault(path) == f" lacks the column 'question'. {columns}"
    _saved(path, [], columns=[*COLUMNS[:-1], "kategorie"])
    assert _fault(path) == f" lacks the column 'category'. {columns}"
    _saved(path, [], columns=[*COLUMNS, "Category "])
    assert _fault(path) == f" has more than one column 'category'. {columns}"
    _saved(path, [[*_FILLED[0], "form"]])
    assert _fault(path).startswith(", row 2: 11 cells, but the first line names 10 columns.")
    path.write_text(f"{','.join(COLUMNS)}\n{'x' * 200_000}\n")
    assert "line 2: no CSV (field larger than field limit" in _fault(path)


def _filled(*categories: Category | None) -> list[SheetRow]:
    return [SheetRow(f"q {n}", "", (), "form", "", category) for n, category in enumerate(categories)]


def test_the_table_counts_what_a_person_has_given_and_nothing_else() -> None:
    rows = _filled(*[Category.UNSTRUCTURED] * 6, *[Category.FORM] * 2, None, None, None)
    table = error_table(rows)
    assert (table.n_filled, table.n_unfilled) == (8, 3)
    # Wilson's interval, worked out by its formula.
    assert table.rows() == [
        {"category": "coverage: unstructured", "mistakes": 6, "%": 75.0, "95 % interval": "40.9 to 92.9"},
        {"category": "coverage: structured", "mistakes": 0, "%": 0.0, "95 % interval": "0.0 to 32.4"},
        {"category": "wrong pair", "mistakes": 0, "%": 0.0, "95 % interval": "0.0 to 32.4"},
        {"category": "ambiguous", "mistakes": 0, "%": 0.0, "95 % interval": "0.0 to 32.4"},
        {"category": "gold label", "mistakes": 0, "%": 0.0, "95 % interval": "0.0 to 32.4"},
        {"category": "form", "mistakes": 2, "%": 25.0, "95 % interval": "7.1 to 59.1"},
        {"category": "granularity", "mistakes": 0, "%": 0.0, "95 % interval": "0.0 to 32.4"},
    ]


def test_a_sheet_that_nobody_filled_has_no_shares() -> None:
    assert error_table(_filled(None, None)) == ErrorTable([], 0, 2)
    assert error_table([]) == ErrorTable([], 0, 0)
