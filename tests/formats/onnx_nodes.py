"""Node tests of ``onnx``, run through the reader and the bundled driver: right, or refused with a reason.

``python -m tests.formats.onnx_nodes`` writes the outcome for the page docs/onnx-models.md.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from msgspec.structs import replace

from docs.onnx_tables import NODE_TESTS
from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.locating import run
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.subject import Subject
from nnvet.formats.errors import ModelFileError
from nnvet.formats.onnx.operators import KNOWN
from nnvet.formats.onnx.reader import import_onnx
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import read_model
from nnvet.graphs.model import TestModel, element_type

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
loader = pytest.importorskip("onnx.backend.test.loader")
HALF: Final = 1e-2
"""Tolerance of float16, relative and absolute."""
FIRST_ALONE: Final = {
    *("Clip", "CumSum", "Dropout", "OneHot", "Pad", "Resize", "TopK", "Trilu", "Upsample"),
    *("DequantizeLinear", "QuantizeLinear"),
}
"""Operators of which only the first input is data; the others are parameters."""
DATA: Final = {"QLinearConv": (0, 3, 8), "QLinearMatMul": (0, 3), "ConstantOfShape": (), "Range": ()}
"""Places of inputs that are data."""
REASONS: Final = (
    (r"no tensors of (\S+)|codes of (\S+)|it is no tensor|rounding to", "element types that the contract lacks"),
    (r"\d dimensions|rank of|spatial dimensions", "more than four dimensions"),
    (r"is a constant or an input", "results that are known before the network runs"),
    (r"not known, or empty|not a full shape|constant is empty", "tensors without elements"),
    (r"no valid ONNX model|read before", "models that onnx itself does not expand or infer"),
    (r"opset", "versions of operators before opset 7"),
    (r"", "parameters and forms that the contract lacks"),
)
"""Kinds of refusal by what the message says."""


def read(content: bytes, values: Mapping[str, Any], constants: Mapping[str, Any] | None = None) -> TestModel:
    """The model as a test with the values of its inputs."""
    with import_onnx(content, constants=constants) as imported:
        test = read_model(imported.model, "onnx")
        names = [described.name for described in imported.inputs]
    operands = test.main.operands
    changed = {
        index: replace(operands[index], data=np.ravel(values[name]).astype(element_type(operands[index].type)))
        for index, name in zip(test.main.input_indexes, names, strict=True)
    }
    return replace(test, main=with_operands(test.main, changed))


def node_tests() -> Iterator[Any]:
    """The node tests of ``onnx`` whose operators the reader knows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        everything = loader.load_model_tests(kind="node")
    for test in everything:
        if {node.op_type for node in test.model.graph.node} <= KNOWN:
            yield test


def _array(value: Any) -> Any:
    """The value of a tensor, as it is given for element types that NumPy lacks, or as an array."""
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, np.generic) else value


def agrees(found: Any, wanted: Any, node_test: Any) -> bool:
    """Return True if a result is the wanted one within the test's tolerance; scalars have one element."""
    array = np.asarray(wanted)
    if found.shape != (array.shape or (1,)):
        return False
    relative, absolute = (HALF, HALF) if array.dtype == np.float16 else (node_test.rtol, max(node_test.atol, 1e-6))
    got, right = (np.ravel(side).astype(np.float64) for side in (found, array))
    return np.allclose(got, right, rtol=relative, atol=absolute, equal_nan=True)


def outcome(subject: Subject, node_test: Any) -> str:
    """``right``, ``wrong`` or the reason why the reader refuses a test.

    Shapes, axes and the like are given as constants, as networks have them.
    """
    inputs, outputs = node_test.data_sets[0]
    kind = node_test.model.graph.node[0].op_type
    values = {value.name: _array(given) for value, given in zip(node_test.model.graph.input, inputs, strict=True)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    data = DATA.get(kind, (0,) if kind in FIRST_ALONE else None)
    constants = {
        name: value
        for place, (name, value) in enumerate(arrays.items())
        if (place not in data if data is not None else value.dtype == np.int64 and place)
    }
    try:
        test = read(node_test.model.SerializeToString(), values, constants)
    except ModelFileError as error:
        return str(error).removeprefix("model: ")
    found = run(subject, test)
    wanted = [_array(output) for output in outputs]
    right = len(found) == len(wanted) and all(map(agrees, found, wanted, [node_test] * len(found)))
    return "right" if right else "wrong"


def outcomes(tests: Iterable[Any]) -> dict[str, str]:
    """The outcomes by the names of the tests."""
    with open_subject(Target("reference", in_process=True)) as subject:
        return {test.name: outcome(subject, test) for test in tests}


def kind_of(reason: str) -> str:
    """The kind of a refusal."""
    return next(kind for pattern, kind in REASONS if re.search(pattern, reason))


def summary(found: Mapping[str, str]) -> dict[str, Any]:
    """The figures of the page: how many are right, and the others by reason."""
    refused: defaultdict[str, list[str]] = defaultdict(list)
    for name, said in sorted(found.items()):
        if said != "right":
            refused["wrong" if said == "wrong" else kind_of(said)].append(name.removeprefix("test_"))
    right = sum(said == "right" for said in found.values())
    return {"onnx": onnx.__version__, "known": len(found), "right": right, "refused": dict(sorted(refused.items()))}


def main(_arguments: Sequence[str] = ()) -> None:
    """Write the data of the page."""
    NODE_TESTS.write_text(json.dumps(summary(outcomes(node_tests())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
