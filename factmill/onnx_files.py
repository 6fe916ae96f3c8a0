"""Opening and running ONNX models of texts that somebody else made, with errors that say what is wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from factmill.errors import ConfigError

_KNOWN_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


def open_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """Read a tokenizer that never pads and cuts long texts."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001 (tokenizers raises bare exceptions)
        raise ConfigError(f"{path} is no tokenizer that can be read: {error}.") from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def weight_files(path: Path) -> list[Path]:
    """Return the files beside a model that hold weights of it. Most models have none."""
    import onnx

    try:
        graph = onnx.load(str(path), load_external_data=False).graph
    except Exception as error:  # noqa: BLE001 (protobuf has errors of its own)
        raise ConfigError(f"{path} is no ONNX model that can be run: {_first_line(error)}") from None
    names = {entry.value for tensor in _tensors(graph) for entry in tensor.external_data if entry.key == "location"}
    if outside := [name for name in names if (path.parent / name).resolve().parent != path.parent.resolve()]:
        raise ConfigError(f"{path} has weights outside its folder, in {outside[0][:200]!r}.")
    return [path.parent / name for name in sorted(names)]


def _tensors(graph: Any) -> Iterator[Any]:
    """Yield all constants of a graph, also those of the graphs in its nodes."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def open_session(path: Path) -> Any:
    """Load a model that computes with one thread: what a thread computes does not depend on how many there are."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 (onnxruntime has a class of error a status)
        raise ConfigError(f"{path} is no ONNX model that can be run: {_first_line(error)}") from None


def check_inputs(path: Path, session: Any) -> set[str]:
    """Return the names of a model's inputs, if they are those of a model of texts."""
    names = {given.name for given in session.get_inputs()}
    if unknown := sorted(names - _KNOWN_INPUTS):
        raise ConfigError(f"{path} wants the input {unknown[0]!r}; known are {', '.join(sorted(_KNOWN_INPUTS))}.")
    return names


def model_inputs(encoding: Any, names: set[str]) -> dict[str, Any]:
    """Return what a model wants of one text or pair of texts."""
    given = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
    }
    return {name: np.array([given[name]], np.int64) for name in names}


def run_model(path: Path, session: Any, inputs: dict[str, Any]) -> Any:
    """Return the model's first output."""
    try:
        return session.run(None, inputs)[0]
    except Exception as error:  # noqa: BLE001 (onnxruntime has a class of error a status)
        raise ConfigError(f"{path} cannot be run: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["no message"])[0][:300]
