"""Tests as files: what is written as a spec or as a vector is read back bit for bit."""

import json
import re
import struct
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import asdict, replace

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.generators.random_graphs.golden import with_golden_results
from nnvet.generators.random_graphs.named import GRAPH_TESTS, single_tests
from nnvet.generators.specs import dump_spec, load_spec
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import map_operands
from nnvet.graphs.model import TestModel, TestOperand
from nnvet.graphs.vector import VectorError, read_vector, write_vector
from nnvet.hal.types import FeatureLevel, OperandType, OperationType, SymmPerChannelQuantParams
from nnvet.oracle.comparison import Tolerance
from tests.generators.specs.test_dump import assert_same

SPECIAL = (
    *("V1_2/*per_channel*", "V1_3/if_*.mod.py", "V1_3/while_*", "V1_3/unidirectional_sequence_lstm*", "V1_0/lsh*"),
    *("V1_2/random_multinomial*", "V1_2/zero_sized*", "V1_0/svdf*", "V1_2/quantized_lstm*", "V1_3/qlstm*"),
    "V1_*/extension_*",
)
"""Globs of the bundled specs with the operands that are rare."""


def corpus() -> Iterator[TestModel]:
    """A few cases of each rare kind, and the first case of every fortieth file."""
    rare = [path for glob in SPECIAL for path in sorted(BUNDLED_SPECS.glob(glob))[:2]]
    for path in [*rare, *sorted(BUNDLED_SPECS.rglob("*.mod.py"))[::40]]:
        for case in islice(load_spec(path), 0, 9, 4):
            yield case.build()


def random_models() -> Iterator[TestModel]:
    """One model of every fourth test."""
    for seed, test in enumerate([*single_tests(), *GRAPH_TESTS][::4]):
        yield with_golden_results(test.make(seed))


def specs_and_vectors(test: TestModel, folder: Path) -> Iterator[TestModel]:
    """The test, read back from both kinds of files."""
    spec, vector = folder / "one.mod.py", folder / "one.json"
    spec.write_text(dump_spec(test), encoding="utf-8")
    (case,) = load_spec(spec)
    yield case.build()
    write_vector(vector, test)
    yield read_vector(vector)[0]


def without_ignored_values(operand: TestOperand) -> TestOperand:
    """Return the operand without values if it is not compared: a spec reads them as zeros."""
    if not operand.is_ignored or operand.data is None:
        return operand
    return replace(operand, data=np.zeros_like(operand.data))


@pytest.mark.parametrize("source", [corpus, random_models])
def test_what_is_written_is_read_back(source: object, tmp_path: Path) -> None:
    """Structure, types, quantisation, flags and every bit of every value are the same."""
    count = 0
    for test in source():  # type: ignore[operator]
        from_spec, from_vector = specs_and_vectors(test, tmp_path)
        assert_same(map_operands(test, without_ignored_values), from_spec)
        assert_same(test, from_vector)
        assert (from_vector.name, from_vector.traits) == (test.name, test.traits)
        count += 1
    assert count > 30


def _by_hand() -> TestModel:
    """ADD of an input and a constant, both of two floats, with the activation as a scalar."""
    graph = GraphBuilder()
    left = graph.input(OperandType.TENSOR_FLOAT32, (2,), [1.5, -2.0])
    right = graph.constant(OperandType.TENSOR_FLOAT32, (2,), [0.25, 4.0])
    none = graph.scalar(OperandType.INT32, 0)
    graph.operation(OperationType.ADD, (left, right, none), graph.output(OperandType.TENSOR_FLOAT32, (2,), [1.75, 2.0]))
    return graph.finish("by hand", FeatureLevel.FL1)


def test_a_harness_in_another_language_can_read_a_vector(tmp_path: Path) -> None:
    """JSON, integers, and little-endian numbers at offsets: nothing of ours is needed to check ADD by hand."""
    write_vector(
        tmp_path / "v.json", _by_hand(), [Tolerance(1e-5, 2e-6, "a page")], {"case": "S/c/1", "driver": "zoo:x"}
    )
    vector = json.loads((tmp_path / "v.json").read_text(encoding="utf-8"))
    data = (tmp_path / vector["data"]).read_bytes()
    (graph,) = vector["subgraphs"]

    def floats(index: int) -> tuple[float, ...]:
        value = graph["operands"][index]["value"]
        assert value["dtype"] == "float32"
        return struct.unpack_from(f"<{value['length'] // 4}f", data, value["offset"])

    (operation,) = graph["operations"]
    assert (operation["type"], operation["code"]) == ("ADD", 0)
    assert (vector["format"], vector["level"], vector["is_relaxed"]) == ("nnvet test vector 1", 1, False)
    left, right, activation = operation["inputs"]
    assert graph["inputs"] == [left]
    assert graph["operands"][left] == {
        "type": "TENSOR_FLOAT32",
        "code": 3,
        "lifetime": "SUBGRAPH_INPUT",
        "dimensions": [2],
        "scale": 0.0,
        "zero_point": 0,
        "channel_scales": [],
        "channel_dimension": 0,
        "is_ignored": False,
        "extension_data": None,
        "value": {"offset": 0, "length": 8, "dtype": "float32"},
    }
    assert (floats(left), floats(right)) == ((1.5, -2.0), (0.25, 4.0))
    place = graph["operands"][activation]["value"]["offset"]
    assert struct.unpack_from("<i", data, place) == (0,)
    assert floats(graph["outputs"][0]) == (1.75, 2.0)
    assert vector["tolerances"] == [{"output": 0, "absolute": 1e-5, "relative": 2e-6, "source": "a page"}]
    assert vector["provenance"] == {"case": "S/c/1", "driver": "zoo:x"}


def test_scales_by_channels_and_omitted_values_survive(tmp_path: Path) -> None:
    """Scales stay the numbers they are; an input without bytes stays one, which is not the same as one without data."""
    graph = GraphBuilder()
    scales = SymmPerChannelQuantParams((0.1, 1 / 3), 1)
    graph.input_by_channel((1, 2), [-127, 127], scales)
    graph.input(OperandType.TENSOR_INT32, (3,), None)
    graph.temporary(OperandType.TENSOR_BOOL8, ())
    test = graph.finish("odd")
    write_vector(tmp_path / "v.json", test)
    again = read_vector(tmp_path / "v.json")[0]
    assert_same(test, again)
    by_channel, omitted, temporary = again.main.operands
    assert by_channel.channel_quant == scales
    assert omitted.data is not None
    assert (omitted.data.size, temporary.data) == (0, None)
    assert asdict(by_channel)["type"] == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
    assert np.array_equal(by_channel.data, [-127, 127])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace("vector 1", "vector 9"), "format"),
        (lambda text: re.sub(r'"level": \w+', '"level": 99', text, count=1), "99"),
        (lambda text: text.replace('"length": 8', '"length": 4000', 1), "4000"),
        (lambda text: text.replace("TENSOR_FLOAT32", "TENSOR_FLOAT33", 1), "TENSOR_FLOAT33"),
        (lambda text: text.replace('"float32"', '"float16"', 1), "float16"),
        (lambda text: text.replace('"float32"', '"object"', 1), "OBJECT"),
        (lambda text: text[:-40], "no test vector"),
        (lambda text: text.replace("v.bin", "w.bin"), "w.bin"),
    ],
    ids=["version", "level", "bytes", "type", "elements", "objects", "cut off", "lost data"],
)
def test_what_is_no_vector_is_refused(change: object, says: str, tmp_path: Path) -> None:
    """The message names the file or what is wrong in it."""
    file = tmp_path / "v.json"
    write_vector(file, _by_hand())
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")  # type: ignore[operator]
    with pytest.raises(VectorError, match=says):
        read_vector(file)
