"""The shortest forms of the operations with optional arguments, on tiny images.

Only the dimensions of outputs are of use: whoever compares forms of a model compares what they compute.

Source: docs/contract/cts-tests.md 2.12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.builder import GraphBuilder
from nnvet.generators.graphs.editor import map_operands
from nnvet.generators.graphs.model import TestModel
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, OperationType

_FLOAT: Final = OperandType.TENSOR_FLOAT32
_INT32, _FLOAT32, _BOOL = OperandType.INT32, OperandType.FLOAT32, OperandType.BOOL
_VECTOR: Final = OperandType.TENSOR_INT32
_SAME: Final = 1
_OUTPUT: Final = OperandLifeTime.SUBGRAPH_OUTPUT
_IMAGE: Final = (1, 4, 4, 4)
_O = OperationType

_Arguments = tuple[tuple[int, tuple[int, ...], object], ...]


def _scalars(*values: float) -> _Arguments:
    return tuple((_FLOAT32 if isinstance(value, float) else _INT32, (), [value]) for value in values)


def _vectors(*values: Any) -> _Arguments:
    return tuple((_VECTOR, np.shape(value), value) for value in values)


_PADS: Final = _scalars(0, 0, 1, 1)
_WINDOW: Final = _scalars(1, 1, 2, 2, 0)
_FILTER: Final = ((_FLOAT, (2, 2, 2, 4), np.arange(32) / 8), (_FLOAT, (2,), [0.5, -1]))
_DEPTHWISE: Final = ((_FLOAT, (1, 2, 2, 4), np.arange(16) / 8), (_FLOAT, (4,), [0.5, -1, 0, 2]))

_FORMS: Final[dict[str, tuple[OperationType, _Arguments, tuple[int, ...]]]] = {
    **{
        f"{operation.name}/{padding}": (operation, (*pads, *_WINDOW), output)
        for operation in (_O.AVERAGE_POOL_2D, _O.MAX_POOL_2D, _O.L2_POOL_2D)
        for padding, pads, output in (
            ("explicit", _PADS, (1, 5, 3, 4)),
            ("implicit", _scalars(_SAME), (1, 4, 4, 4)),
        )
    },
    "CONV_2D/explicit": (_O.CONV_2D, (*_FILTER, *_PADS, *_scalars(1, 1, 0)), (1, 5, 3, 2)),
    "CONV_2D/implicit": (_O.CONV_2D, (*_FILTER, *_scalars(_SAME, 1, 1, 0)), (1, 4, 4, 2)),
    "DEPTHWISE_CONV_2D/explicit": (
        _O.DEPTHWISE_CONV_2D,
        (*_DEPTHWISE, *_PADS, *_scalars(1, 1, 1, 0)),
        (1, 5, 3, 4),
    ),
    "DEPTHWISE_CONV_2D/implicit": (_O.DEPTHWISE_CONV_2D, (*_DEPTHWISE, *_scalars(_SAME, 1, 1, 1, 0)), _IMAGE),
    "DEPTH_TO_SPACE": (_O.DEPTH_TO_SPACE, _scalars(2), (1, 8, 8, 1)),
    "SPACE_TO_DEPTH": (_O.SPACE_TO_DEPTH, _scalars(2), (1, 2, 2, 16)),
    "SPACE_TO_BATCH_ND": (_O.SPACE_TO_BATCH_ND, _vectors([2, 2], [[0, 0], [0, 0]]), (4, 2, 2, 4)),
    "BATCH_TO_SPACE_ND": (_O.BATCH_TO_SPACE_ND, _vectors([1, 1]), _IMAGE),
    "SOFTMAX": (_O.SOFTMAX, _scalars(1.0), _IMAGE),
    "L2_NORMALIZATION": (_O.L2_NORMALIZATION, (), _IMAGE),
    "LOCAL_RESPONSE_NORMALIZATION": (_O.LOCAL_RESPONSE_NORMALIZATION, _scalars(1, 1.0, 0.5, 0.5), _IMAGE),
    "RESIZE_BILINEAR": (_O.RESIZE_BILINEAR, _scalars(3, 5), (1, 5, 3, 4)),
    "RESIZE_NEAREST_NEIGHBOR": (_O.RESIZE_NEAREST_NEIGHBOR, (*_scalars(3, 5), (_BOOL, (), [0])), (1, 5, 3, 4)),
}
"""Operation, arguments behind the image, and dimensions of the output."""


def shortest_forms() -> Iterator[tuple[str, TestModel]]:
    """A model of each operation with arguments that may be left out, all of them left out; by name."""
    for name, (operation, arguments, output) in _FORMS.items():
        graph = GraphBuilder()
        image = graph.input(_FLOAT, _IMAGE, np.sin(np.arange(64)))
        inputs = (image, *(graph.constant(*argument) for argument in arguments))
        graph.operation(operation, inputs, graph.output(_FLOAT, output, np.zeros(output)))
        test = graph.finish(f"{name.replace('/', '_').lower()}_shortest", FeatureLevel.FL3)
        # Nobody has computed the values.
        yield name, map_operands(test, lambda operand: replace(operand, is_ignored=operand.lifetime == _OUTPUT))
