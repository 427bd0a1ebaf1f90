"""Operators of TOSA, computed by the reference model of TOSA; operators of floats are computed in float64.

:func:`compute` writes a graph of one operator and runs the program of the package ``tosa-tools`` on it. Tests compare
the results with the oracle's. Graphs follow the TOSA specification 1.1, chapter Operators.
"""

from __future__ import annotations

import subprocess
import sysconfig
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

from nnvet.oracle.arithmetic.sums import Array

# Names of types in TOSA by names in NumPy.
_DTYPES = {"float32": "FP32", "float16": "FP16", "int8": "INT8", "int16": "INT16", "int32": "INT32", "bool": "BOOL"}


@dataclass(frozen=True)
class Constant:
    """An operand that TOSA wants as a constant of the graph: zero points, multipliers, shifts, tables."""

    array: Array


class TosaError(RuntimeError):
    """The reference model did not compute a graph."""


def _serializer() -> ModuleType:
    with warnings.catch_warnings():
        # The module says that another one will take its place.
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module("serializer.tosa_serializer")


def compute(
    operator: str, operands: Sequence[Array | Constant], shape: Sequence[int], dtype: str, *attributes: Any
) -> Array:
    """Return the result of one operator, in float64 if its results are floats.

    :raises TosaError: the reference model refuses the graph.
    """
    ts = _serializer()
    graph = ts.TosaSerializer("", tosa_version_draft=False, tosa_version_minor=0)
    names: list[str] = []
    values: dict[str, Array] = {}
    for operand in operands:
        array = np.ascontiguousarray(operand.array if isinstance(operand, Constant) else operand)
        kind = getattr(ts.DType, _DTYPES[array.dtype.name])
        if isinstance(operand, Constant):
            names.append(graph.addConst(list(array.shape), kind, array).name)
        else:
            tensor = ts.TosaSerializerTensor(f"input-{len(values)}", list(array.shape), kind)
            graph.addInputTensor(tensor)
            names.append(tensor.name)
            values[tensor.name] = array
    result = graph.addOutput(list(shape), getattr(ts.DType, _DTYPES[dtype]))
    given = ts.TosaSerializerAttribute()
    getattr(given, f"{operator}Attribute")(*attributes)
    number = getattr(import_module("tosa.Op").Op, _OPERATORS.get(operator, operator.upper()))
    graph.addOperator(number, names, [result.name], given)
    return _run(bytes(graph.serialize()), values, result.name)


def _run(graph: bytes, values: dict[str, Array], result: str) -> Array:
    """Run the program, whose binding for Python has no results in float64."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "graph.tosa").write_bytes(graph)
        for name, array in values.items():
            np.save(place / f"{name}.npy", array)
        command = [
            *(str(Path(sysconfig.get_path("scripts")) / "tosa_reference_model"), "-p", "1", "-l", "NONE"),
            *("--tosa_file", "graph.tosa", "--flatbuffer_dir", folder, "--output_dir", folder, "--tosa_level", "NONE"),
            *("--ifm_name", ",".join(values), "--ifm_file", ",".join(f"{name}.npy" for name in values)),
            *("--ofm_name", result, "--ofm_file", "result.npy"),
        ]
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if ended.returncode or not (place / "result.npy").exists():
            raise TosaError(f"tosa_reference_model ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        found: Array = np.load(place / "result.npy")
        return found


# Names of operators in the enumeration of TOSA whose attributes have other names.
_OPERATORS = {
    "Conv2d": "CONV2D",
    "DepthwiseConv2d": "DEPTHWISE_CONV2D",
    "AvgPool2d": "AVG_POOL2D",
    "MaxPool2d": "MAX_POOL2D",
    "ReduceSum": "REDUCE_SUM",
    "ReduceMax": "REDUCE_MAX",
    "ReduceProduct": "REDUCE_PRODUCT",
}
