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
_TYPES: Final = {"float32": 0, "int32": 2, "uint8": 3, "bool": 6, "int8": 9}
_IDENTIFIER: Final = b"TFL3"
_SHOWN: Final = 4
"""So many of the last numbers of an output are printed."""
Values = tuple[Any, ...]
_OPTIONS: Final = {
    "LOCAL_RESPONSE_NORMALIZATION": "LocalResponseNormalizationOptions",
    "RESIZE_BILINEAR": "ResizeBilinearOptions",
}


@dataclass(frozen=True)
class Finding:
    """An operator with its inputs; ``wrong`` kernels do not give ``expected``. ``scale`` is that of all codes.

    ``output_scale`` is that of the output's, if it is another. ``width``: a last input, which is a constant, asks for
    an output of height 1 and this width. ``tolerance`` is how far codes may be off. ``feature`` is one of the
    processor, as Linux names it, that the wrong kernels were seen with; empty: any will do.
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
    output_scale: float = 0.0
    width: int = 0
    tolerance: float = 0.0

    def run(self, kernels: str) -> np.ndarray[Any, Any]:
        """The output of a model of this one operator."""
        arrays = [np.array(values, self.types[0]).reshape(self.shape) for values in self.inputs]
        output = np.array(self.expected, self.types[1])
        output = output.reshape((1, 1, self.width, 1) if self.width else self.shape)
        runner = litert.Interpreter(
            model_content=self._model([*arrays, output]), experimental_op_resolver_type=KERNELS[kernels]
        )
        runner.allocate_tensors()
        for index, array in enumerate(arrays):
            runner.set_tensor(index, array)
        runner.invoke()
        result: np.ndarray[Any, Any] = runner.get_tensor(runner.get_output_details()[0]["index"]).reshape(-1)
        return result

    def is_right(self, kernels: str) -> bool:
        """True if the output is the expected one, to a thousandth and the tolerance."""
        due = np.array(self.expected, self.types[1]).astype(np.float64)
        return bool(
            np.allclose(self.run(kernels).astype(np.float64), due, rtol=1e-3, atol=self.tolerance, equal_nan=True)
        )

    def _model(self, arrays: list[np.ndarray[Any, Any]]) -> bytes:
        model, graph, operator, code = schema.ModelT(), schema.SubGraphT(), schema.OperatorT(), schema.OperatorCodeT()
        *given, output = arrays
        model.buffers = [schema.BufferT()]
        graph.tensors = [self._tensor(array, self.scale) for array in given]
        graph.inputs = list(range(len(given)))
        if self.width:
            sizes = np.array((1, self.width), np.int32)
            graph.tensors.append(self._tensor(sizes, 0.0, buffer=1))
            model.buffers.append(schema.BufferT())
            model.buffers[1].data = np.frombuffer(sizes.tobytes(), np.uint8)
        graph.tensors.append(self._tensor(output, self.output_scale or self.scale))
        *operator.inputs, last = range(len(graph.tensors))
        graph.outputs, graph.operators = [last], [operator]
        operator.outputs, operator.opcodeIndex = [last], 0
        code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, self.operator)
        code.version = 2 if "int8" in self.types else 1
        if self.options:
            name = _OPTIONS[self.operator]
            operator.builtinOptions = getattr(schema, f"{name}T")()
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, name)
            vars(operator.builtinOptions).update(self.options)
        model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
        builder = flatbuffers.Builder()
        builder.Finish(model.Pack(builder), file_identifier=_IDENTIFIER)
        return bytes(builder.Output())

    def _tensor(self, array: np.ndarray[Any, Any], scale: float, buffer: int = 0) -> Any:
        tensor = schema.TensorT()
        tensor.shape, tensor.type, tensor.buffer = list(array.shape), _TYPES[array.dtype.name], buffer
        if array.dtype.name in ("uint8", "int8"):
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint = [scale], [0]
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
    # Column i lies at i / 100 between 0 and 100: it is i.
    Finding(
        "resize-signed",
        "RESIZE_BILINEAR",
        ((0, 100),),
        tuple(range(101)),
        ("builtin", "reference"),
        ("int8", "int8"),
        1.0,
        options={"alignCorners": True},
        shape=(1, 1, 2, 1),
        width=101,
    ),
    # Column i lies at i * 2 / 3000, so it is i / 15 up to the last pixel, which all of the second half is.
    Finding(
        "resize-signed-wide",
        "RESIZE_BILINEAR",
        ((0, 100),),
        tuple(min(round(column / 15), 100) for column in range(3000)),
        ("builtin", "reference"),
        ("int8", "int8"),
        1.0,
        options={"alignCorners": False},
        shape=(1, 1, 2, 1),
        width=3000,
        tolerance=1.0,
    ),
    # 100 * 2 + 100 * 2 = 400 = 100,000 * 0.004, far above the largest code.
    Finding(
        "add-wraps",
        "ADD",
        ((100,) * 16, (100,) * 16),
        (127,) * 16,
        ("xnnpack", "builtin"),
        ("int8", "int8"),
        2.0,
        output_scale=0.004,
    ),
    # -128 / 200 = -0.64 and -120 / 200 = -0.6 are both nearer to -1 than to 0.
    Finding(
        "requantize",
        "QUANTIZE",
        ((-128, -120),),
        (-1, -1),
        ("xnnpack",),
        ("int8", "int8"),
        1.0,
        output_scale=200.0,
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
            values, due = finding.run(kernels).tolist()[-_SHOWN:], list(finding.expected)[-_SHOWN:]
            print(f"{finding.name:18} {kernels:9} {said}: {values}, expected {due}")  # noqa: T201


if __name__ == "__main__":
    main()
