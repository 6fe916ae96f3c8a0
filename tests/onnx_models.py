"""Tiny ONNX models of texts, made on the spot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, load, numpy_helper, save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ("[UNK]", "[CLS]", "[SEP]", "who", "sings", "wrote", "hello", "dune", "the", "singer", "of", "author", "adele")
DIMENSIONS = 16


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer of a few words."""
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_encoder(
    folder: Path, seed: int = 0, *, rank: int = 3, wants: str = "input_ids", weights_file: str | None = None
) -> Path:
    """Write an encoder: a table of word vectors, one vector a token (rank 3), or one a text (rank 2).

    With a name the table is in a file of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(seed).standard_normal((len(WORDS), DIMENSIONS)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["table", wants], ["tokens"])]
    if rank == 2:
        nodes.append(helper.make_node("ReduceMean", ["tokens"], ["text"], axes=[1], keepdims=0))
    shape = ["B", "S", DIMENSIONS] if rank == 3 else ["B", DIMENSIONS]
    _save(folder, nodes, [numpy_helper.from_array(table, "table")], wants, ("tokens" if rank == 3 else "text", shape))
    if weights_file:
        model = load(str(folder / "model.onnx"))
        save(model, str(folder / "model.onnx"), save_as_external_data=True, location=weights_file, size_threshold=0)
    write_tokenizer(folder)
    return folder


def write_cross_encoder(folder: Path, word: str, *, against: str | None = None) -> Path:
    """Write a cross-encoder whose number for a pair is how often a word stands in it.

    With a second word there are two classes, the first of which is how often that one does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    n_classes = 2 if against else 1
    table = np.zeros((len(WORDS), n_classes), np.float32)
    table[WORDS.index(word), -1] = 1
    if against:
        table[WORDS.index(against), 0] = 3
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["tokens"]),
        helper.make_node("ReduceSum", ["tokens", "one"], ["number"], keepdims=0),
    ]
    constants = [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1], np.int64), "one")]
    _save(folder, nodes, constants, "input_ids", ("number", ["B", n_classes]))
    write_tokenizer(folder)
    return folder


def _save(
    folder: Path, nodes: Sequence[Any], constants: Sequence[Any], wants: str, gives: tuple[str, list[Any]]
) -> None:
    given = helper.make_tensor_value_info(wants, TensorProto.INT64, ["B", "S"])
    output = helper.make_tensor_value_info(gives[0], TensorProto.FLOAT, gives[1])
    graph = helper.make_graph(nodes, "tiny", [given], [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    save(model, str(folder / "model.onnx"))
