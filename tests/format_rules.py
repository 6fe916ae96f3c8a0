"""What readers of PAQ, KILT and QAMPARI demand of a file, and how they score it, written anew from their descriptions.

Each function reads a file as its readers would and stops at the first rule that is broken.
"""

import gzip
import json
import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

Record = dict[str, Any]

_QID = re.compile(r"(\d+)__([a-z][a-z0-9_]*)_(simple|comp|intersection)__(train|dev|test)")


def normalised(text: str) -> str:
    """Write an answer as all three projects do before they compare it."""
    lowered = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", lowered).split())


def json_lines(path: Path) -> list[Record]:
    """Read a file that a reader may open with any encoding and split at any line end."""
    packed = path.read_bytes()
    data = gzip.decompress(packed) if path.suffix == ".gz" else packed
    assert data.isascii(), "files are opened without an encoding"
    assert not data.startswith(b"\xef\xbb\xbf"), "a BOM"
    assert data.endswith(b"}\n"), "one line end after the last line"
    lines = data.decode("ascii").splitlines()
    assert data.count(b"\n") == len(lines), "a line end inside a line"
    assert all(line.strip() for line in lines), "a blank line"
    rows = [json.loads(line) for line in lines]
    assert all(isinstance(row, dict) for row in rows)
    return rows


def check_paq(path: Path, *, n_base: int = 0) -> list[Record]:
    """Check a corpus; the first lines may be a base's, whose questions are as they are."""
    rows = json_lines(path)
    for number, row in enumerate(rows):
        question, answer = row["question"], row["answer"]
        assert isinstance(question, str)
        if number >= n_base:
            assert question == question.lower() == question.strip(), question
            assert question, number
            assert not question.endswith("?"), question
        assert isinstance(answer, list), row
        assert answer, row
        assert all(isinstance(form, str) and form.strip() for form in answer), row
    return rows


def check_paq_metadata(path: Path, corpus: Sequence[Record]) -> list[Record]:
    """Check the metadata form: the same pairs in the same order, with one answer as a text."""
    rows = json_lines(path)
    assert [row["question"] for row in rows] == [row["question"] for row in corpus]
    assert [row["answer"] for row in rows] == [row["answer"][0] for row in corpus]
    for row in rows:
        assert row["subsets"], row
        assert all(isinstance(tag, str) and tag for tag in row["subsets"]), row
        for answer in row["answers"]:
            assert isinstance(answer["passage_id"], str)
            assert isinstance(answer["offset"], int)
    return rows


def check_paq_retrieved(path: Path, references: Sequence[Record], k: int) -> list[Record]:
    """Check what was retrieved: the order of the references, and as many pairs for each question."""
    rows = json_lines(path)
    assert [row["input_qa"]["question"] for row in rows] == [row["question"] for row in references]
    assert {len(row["retrieved_qas"]) for row in rows} <= set(range(k, 10_000))
    assert len({len(row["retrieved_qas"]) for row in rows}) == 1
    for row in rows:
        for pair in row["retrieved_qas"]:
            assert isinstance(pair["question"], str)
            assert isinstance(pair["answer"][0], str)
            assert isinstance(pair["score"], float)
    return rows


def check_kilt(path: Path) -> list[Record]:
    """Check data points, and that who knows them by heart gets every score."""
    rows = json_lines(path)
    ids = [str(row["id"]).strip() for row in rows]
    assert all(isinstance(row["id"], str) and row["id"] for row in rows)
    assert len(set(ids)) == len(ids), Counter(ids).most_common(1)
    for row in rows:
        assert isinstance(row["input"], str)
        assert row["output"], row
        for output in row["output"]:
            assert isinstance(output["answer"], str)
            _check_provenance(output)
        assert kilt_scores(row, _known_by_heart(row)) == {"accuracy": 1.0, "r_precision": 1.0, "recall_at_5": 1.0}
    return rows


def _check_provenance(output: Mapping[str, Any]) -> None:
    if "provenance" in output:
        assert output["provenance"], "an empty evidence set can never be found"
        for page in output["provenance"]:
            assert isinstance(page["wikipedia_id"], str)
            assert re.fullmatch("[0-9]+", page["wikipedia_id"])
            assert isinstance(page["title"], str)


def _known_by_heart(gold: Mapping[str, Any]) -> Record:
    pages = [page for output in gold["output"] for page in output.get("provenance", [])]
    return {"id": gold["id"], "output": [{"answer": gold["output"][0]["answer"], "provenance": pages}]}


def kilt_scores(gold: Mapping[str, Any], guess: Mapping[str, Any]) -> dict[str, float]:
    """Score one data point; where the gold names no page, nothing can be asked of the guess's."""
    answers = {output["answer"].strip() for output in gold["output"]} - {""}
    assert answers, "no gold answer"
    (output,) = guess["output"]
    sets = [
        [str(page["wikipedia_id"]) for page in each["provenance"]] for each in gold["output"] if "provenance" in each
    ]
    ids = list(dict.fromkeys(str(page["wikipedia_id"]) for page in output["provenance"]))
    r_precision = max((_r_precision(set(pages), ids) for pages in sets), default=1.0)
    distinct = {frozenset(pages) for pages in sets}
    found = sum(bool(pages) and pages <= set(ids[:5]) for pages in distinct)
    return {
        "accuracy": float(output["answer"].strip() in answers),
        "r_precision": r_precision,
        "recall_at_5": found / len(distinct) if distinct else 1.0,
    }


def _r_precision(pages: set[str], ids: Sequence[str]) -> float:
    return len(pages & set(ids[: len(pages)])) / len(pages) if pages else 0.0


def check_qampari(path: Path) -> list[Record]:
    """Check questions, and that who knows all answers by heart gets every score."""
    rows = json_lines(path)
    assert "jsonl" in path.name, "else the scorer takes the file for one list"
    qids = [row["qid"] for row in rows]
    assert len(set(qids)) == len(qids)
    for row in rows:
        assert _QID.fullmatch(row["qid"]), row["qid"]
        assert isinstance(row["question_text"], str)
        assert row["answer_list"], row
        for number, answer in enumerate(row["answer_list"]):
            assert answer["aid"] == f"{row['qid']}__{number}"
            assert answer["answer_text"] in answer["aliases"], answer
            assert [proof["pid"] for proof in answer["proof"]] == [
                f"{answer['aid']}__{n}" for n in range(len(answer["proof"]))
            ]
            assert all(proof["proof_text"] for proof in answer["proof"])
        for entity in row["entities"]:
            assert isinstance(entity["entity_text"], str)
            assert entity["entity_text"] in entity["aliases"]
        texts = [answer["answer_text"] for answer in row["answer_list"]]
        assert qampari_scores(row, texts) == (1.0, 1.0), row
        owners = Counter(form for answer in row["answer_list"] for form in {*map(normalised, answer["aliases"])})
        assert set(owners.values()) == {1}, "an alias of two answers"
    return rows


def qampari_scores(row: Mapping[str, Any], predictions: Iterable[str]) -> tuple[float, float]:
    """Return precision and recall: an answer counts once, found by the first alias that equals a prediction."""
    owner = {alias: answer["answer_text"] for answer in row["answer_list"] for alias in answer["aliases"]}
    given = set(predictions)
    matched = set()
    for prediction in given:
        same = (alias for alias in owner if normalised(alias) == normalised(prediction))
        if (alias := next(same, None)) is not None:
            matched.add(owner[alias])
    return len(matched) / len(given) if given else 0.0, len(matched) / len(row["answer_list"])


def check_hf(folder: Path) -> dict[str, list[Path]]:
    """Check that each configuration of a data card has files, and each Parquet file one; return the files by name."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    opening, front, _ = text.split("---\n", 2)
    assert opening == "", "the front matter comes first"
    card = yaml.safe_load(front)
    assert card["license"]
    found = {}
    for config in card["configs"]:
        (files,) = config["data_files"]
        assert files["split"] == "train"
        found[config["config_name"]] = sorted(folder.glob(files["path"]))
        assert found[config["config_name"]], f"no file matches {files['path']}"
    assert sorted(folder.rglob("*.parquet")) == sorted(file for files in found.values() for file in files)
    return found
