"""Shows the findings against LiteRT: one operator, one call of the interpreter each. Needs ai-edge-litert alone.

``python docs/findings/litert.py`` prints what each kernel gives, and what it should; with the argument ``abort`` it
runs the model that ends the process.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Final

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

KERNELS: Final = {
    "xnnpack": litert.OpResolverType.AUTO,
    "builtin": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "reference": litert.OpResolverType.BUILTIN_REF,
}
_TYPES: Final = {"float32": 0, "uint8": 3, "bool": 6, "int8": 9}
_IDENTIFIER: Final = b"TFL3"
Values = tuple[Any, ...]


@dataclass(frozen=True)
class Finding:
    """An operator with its inputs; ``wrong`` kernels do not give ``expected``. ``scale`` is that of all codes.

    ``feature`` is one of the processor, as Linux names it, that the wrong kernels were seen with; empty: any will do.
    """

    name: str
    operator: str
    inputs: tuple[Values, ...]
    expected: Values
    wrong: tuple[str, ...]
    types: tuple[str, str] = ("float32", "float32")
    scale: float = 0.0
    options: dict[str, float] = field(default_factory=dict)
    shape: tuple[int, ...] = (-1,)
    feature: str = ""

    def run(self, kernels: str) -> np.ndarray[Any, Any]:
        """The output of a model of this one operator."""
        arrays = [np.array(values, self.types[0]).reshape(self.shape) for values in self.inputs]
        output = np.array(self.expected, self.types[1]).reshape(self.shape)
        runner = litert.Interpreter(
            model_content=self._model([*arrays, output]), experimental_op_resolver_type=KERNELS[kernels]
        )
        runner.allocate_tensors()
        for index, array in enumerate(arrays):
            runner.set_tensor(index, array)
        runner.invoke()
        result: np.ndarray[Any, Any] = runner.get_tensor(len(arrays)).reshape(-1)
        return result

    def is_right(self, kernels: str) -> bool:
        """Whether the output is the expected one, to a thousandth."""
        return bool(np.allclose(self.run(kernels), np.array(self.expected, self.types[1]), rtol=1e-3, equal_nan=True))

    def _model(self, arrays: list[np.ndarray[Any, Any]]) -> bytes:
        model, graph, operator, code = schema.ModelT(), schema.SubGraphT(), schema.OperatorT(), schema.OperatorCodeT()
        graph.tensors = [self._tensor(array) for array in arrays]
        *operator.inputs, last = range(len(arrays))
        graph.inputs, graph.outputs, graph.operators = operator.inputs, [last], [operator]
        operator.outputs, operator.opcodeIndex = [last], 0
        code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, self.operator)
        code.version = 2 if "int8" in self.types else 1
        if self.options:
            operator.builtinOptions = schema.LocalResponseNormalizationOptionsT()
            operator.builtinOptionsType = schema.BuiltinOptions.LocalResponseNormalizationOptions
            vars(operator.builtinOptions).update(self.options)
        model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [schema.BufferT()]
        builder = flatbuffers.Builder()
        builder.Finish(model.Pack(builder), file_identifier=_IDENTIFIER)
        return bytes(builder.Output())

    def _tensor(self, array: np.ndarray[Any, Any]) -> Any:
        tensor = schema.TensorT()
        tensor.shape, tensor.type, tensor.buffer = list(array.shape), _TYPES[array.dtype.name], 0
        if array.dtype.name in ("uint8", "int8"):
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint = [self.scale], [0]
        return tensor


_INF, _NAN = float("inf"), float("nan")
FINDINGS: Final = (
    Finding("sqrt", "SQRT", ((1e38, 2e38),), (1e19, 1.41421e19), ("xnnpack",)),
    Finding("sin", "SIN", ((1e10,),), (-0.487506,), ("xnnpack",)),
    Finding("cos", "COS", ((1e10,),), (0.873120,), ("xnnpack",)),
    Finding("log", "LOG", ((3.4e38, _INF),), (88.7220, _INF), ("xnnpack",)),
    Finding("exp", "EXP", ((_NAN, 1.0),), (_NAN, 2.71828), ("xnnpack",)),
    Finding("rsqrt", "RSQRT", ((0.0, 4.0),), (_INF, 0.5), ("xnnpack",)),
    Finding("logistic", "LOGISTIC", ((1e30, -1e30),), (1.0, 0.0), ("xnnpack",), feature="avx512f"),
    Finding("quantize", "QUANTIZE", ((3e9, _INF),), (127, 127), ("builtin", "reference"), ("float32", "int8"), 1.0),
    Finding(
        "equal-fine", "EQUAL", ((10,), (11,)), (False,), ("xnnpack", "builtin", "reference"), ("uint8", "bool"), 1 / 300
    ),
    Finding(
        "equal-coarse", "EQUAL", ((10,), (11,)), (False,), ("xnnpack", "builtin", "reference"), ("uint8", "bool"), 2.0
    ),
    Finding(
        "less-coarse", "LESS", ((10,), (11,)), (True,), ("xnnpack", "builtin", "reference"), ("uint8", "bool"), 2.0
    ),
    Finding(
        "local-response",
        "LOCAL_RESPONSE_NORMALIZATION",
        ((1, 2, 3, 4),),
        (1 / 6, 2 / 15, 3 / 30, 4 / 26),
        ("reference",),
        options={"radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 1.0},
        shape=(1, 1, 1, 4),
    ),
)

ABORTS: Final = Finding("equal-abort", "EQUAL", ((10,), (11,)), (False,), tuple(KERNELS), ("uint8", "bool"), 1.0)
"""Ends the process with SIGABRT when it is run, with any kernels."""


def main() -> None:
    """Print a line for each finding and kernel, or abort."""
    if sys.argv[1:] == ["abort"]:
        ABORTS.run("reference")
    for finding in FINDINGS:
        for kernels in KERNELS:
            said = "right" if finding.is_right(kernels) else "WRONG"
            values = finding.run(kernels).tolist()
            print(f"{finding.name:14} {kernels:9} {said}: {values}, expected {list(finding.expected)}")  # noqa: T201


if __name__ == "__main__":
    main()
