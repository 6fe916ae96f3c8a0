"""Questions a second and hit@1 on real paraphrases of both encoders, against the full-precision model.

    python -m benchmarks.bench_encoder --shared ../shared/data

One thread each; every question is a call of its own, as it must be where a vector may not depend on others.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from factmill.encoders import Encoder
from factmill.minilm import MINILM, minilm_folder, write_fp32
from factmill.onnx_encoder import OnnxEncoder
from factmill.paq_form import paq_form
from factmill.static_encoder import StaticEncoder
from tests.paraphrases import paraphrase_pairs

AIM_RATIO, AIM_LOSS = 1.3, 0.005

Floats = npt.NDArray[np.float32]


def main(words: Sequence[str] | None = None) -> None:
    """Print rates, ratios and hit@1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pairs", type=int, default=5_000)
    chosen = parser.parse_args(words)
    pairs = paraphrase_pairs(chosen.shared, chosen.pairs)
    with tempfile.TemporaryDirectory() as folder:
        full_rate, full_hit = _measured(_full_precision(Path(folder)), pairs)
    print(f"fp32: {full_rate:,.0f} questions a second, hit@1 {full_hit:.4f} of {len(pairs):,} pairs")
    encoders: list[Encoder] = [OnnxEncoder("minilm", minilm_folder(), 512, threads=1), StaticEncoder()]
    for encoder in encoders:
        rate, hit = _measured(lambda some, encoder=encoder: encoder.encode(some).astype(np.float32), pairs)  # type: ignore[misc]
        print(f"{encoder.name}: {rate:,.0f} questions a second, hit@1 {hit:.4f}; ratio {rate / full_rate:.2f}")
    print(f"aims for minilm: ratio {AIM_RATIO}, hit@1 at most {AIM_LOSS} below")


def _measured(encode: Callable[[list[str]], Floats], pairs: list[tuple[str, str]]) -> tuple[float, float]:
    one, other = ([pair[side] for pair in pairs] for side in (0, 1))
    encode(one[:50])
    started = time.perf_counter()
    queries, corpus = encode(one), encode(other)
    rate = 2 * len(pairs) / (time.perf_counter() - started)
    return rate, float(((queries @ corpus.T).argmax(axis=1) == np.arange(len(pairs))).mean())


def _full_precision(folder: Path) -> Callable[[list[str]], Floats]:
    MINILM.download(folder)
    write_fp32(folder / "model.safetensors", folder / "fp32.onnx")
    tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "fp32.onnx"), options, providers=["CPUExecutionProvider"])

    def encode(questions: list[str]) -> Floats:
        vectors = []
        for question in questions:
            ids = np.array([tokenizer.encode(paq_form(question)).ids], np.int64)
            vectors.append(session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
        return np.array(vectors)

    return encode


if __name__ == "__main__":
    main()
