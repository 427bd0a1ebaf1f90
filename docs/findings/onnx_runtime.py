"""Shows the findings against ONNX Runtime: a model of one node, one run each. Needs onnx and onnxruntime alone.

``python docs/findings/onnx_runtime.py`` prints what the session gives, and what it should; with the argument
``end`` it runs the model that ends the process.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import onnxruntime
from onnx import helper

OPSET: Final = 21
_IR_VERSION: Final = 10
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Finding:
    """A node with its inputs, and what it should give."""

    name: str
    operator: str
    inputs: tuple[Any, ...]
    expected: Any
    dtype: str = "float32"
    attributes: dict[str, Any] = field(default_factory=dict)

    def run(self) -> Array:
        """The output of a model of this one node.

        :raises Exception: ONNX Runtime's own, where it refuses the model.
        """
        # Further inputs of a node whose first one is of floats are axes.
        arrays = [
            np.array(values, self.dtype if not place else self._other) for place, values in enumerate(self.inputs)
        ]
        names = [f"input{place}" for place in range(len(arrays))]
        node = helper.make_node(self.operator, names, ["output"], **self.attributes)
        output = helper.make_tensor_value_info("output", _element(np.dtype(self.dtype)), None)
        inputs = [
            helper.make_tensor_value_info(name, _element(array.dtype), array.shape)
            for name, array in zip(names, arrays, strict=True)
        ]
        graph = helper.make_graph([node], "model", inputs, [output])
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        result: Array = session.run(None, dict(zip(names, arrays, strict=True)))[0]
        return result

    def is_right(self) -> bool:
        """True if the output is the expected one, to a thousandth; a refused model is not."""
        try:
            result = self.run()
        except Exception:  # noqa: BLE001 - ONNX Runtime's exceptions have no class of their own
            return False
        due = np.array(self.expected, self.dtype).reshape(result.shape)
        return bool(np.allclose(result, due, rtol=1e-3, atol=0, equal_nan=True))

    @property
    def _other(self) -> str:
        return "int64" if self.dtype == "float32" else self.dtype


def _element(dtype: np.dtype[Any]) -> int:
    return int(helper.np_dtype_to_tensor_dtype(dtype))


_NAN: Final = float("nan")
_LOWEST: Final = -(2**31)
_CELL: Final = [[[[1]]]]
_LRN: Final = {"alpha": 1.0, "beta": 0.5, "size": 1}
FINDINGS: Final = (
    Finding("sigmoid", "Sigmoid", ([-17],), [4.13994e-08]),
    Finding(
        "max-pool-nan",
        "MaxPool",
        ([[[[_NAN, 1, 2, _NAN]]]],),
        [_NAN, 2, _NAN],
        attributes={"kernel_shape": [1, 2]},
    ),
    Finding("reduce-max-nan", "ReduceMax", ([[_NAN, 1], [1, _NAN]], [1]), [_NAN, _NAN], attributes={"keepdims": 0}),
    Finding("lrn-alpha", "LRN", (_CELL,), _CELL, attributes={**_LRN, "alpha": 0.0}),
    Finding("lrn-beta", "LRN", (_CELL,), _CELL, attributes={**_LRN, "beta": 0.0}),
)
ENDS: Final = Finding("divide-lowest", "Div", ([_LOWEST], [-1]), [_LOWEST], "int32")
"""Ends the process with SIGFPE when it is run."""


def main() -> None:
    """Print a line for each finding, or end with one."""
    if sys.argv[1:] == ["end"]:
        ENDS.run()
    for finding in FINDINGS:
        said = "right" if finding.is_right() else "WRONG"
        try:
            result: Any = finding.run().tolist()
        except Exception as error:  # noqa: BLE001 - ONNX Runtime's exceptions have no class of their own
            result = str(error)
        print(f"{finding.name:14} {said}: {result}, expected {finding.expected}")  # noqa: T201


if __name__ == "__main__":
    main()
