"""Questions a second of the int8 encoder, one a call, against the full-precision model on the same machine."""

import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from factmill import minilm
from factmill.encoders import OnnxEncoder

N = 1_000


def main() -> None:
    """Print both rates and their ratio, on one thread each."""
    questions = [f"who wrote the {n}th book about the history of {place}" for n in range(N // 4) for place in PLACES]
    encoder = OnnxEncoder("minilm", minilm.minilm_folder(), threads=1)
    encoder.encode(questions[:50])
    started = time.perf_counter()
    encoder.encode(questions)
    ours = len(questions) / (time.perf_counter() - started)
    full = _fp32_rate(questions)
    print(f"int8 {ours:,.0f} questions/s, fp32 {full:,.0f} questions/s: ratio {ours / full:.2f}")


PLACES = ("rome", "the city of new york", "vienna", "ancient egypt and its neighbours")


def _fp32_rate(questions: list[str]) -> float:
    tokenizer = Tokenizer.from_file(str(minilm.minilm_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "fp32.onnx"
        minilm.write_fp32(minilm._download(Path(folder)) / "model.safetensors", model)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        started = time.perf_counter()
        for question in questions:
            ids = np.array([tokenizer.encode(question).ids], np.int64)
            session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return len(questions) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
