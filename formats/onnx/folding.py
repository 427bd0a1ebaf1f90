"""Constant folding of ONNX graphs: ``onnx.reference`` computes values that are known before the network runs.

Exported networks compute shapes, axes and masks by nodes of constants: Shape, Gather, Concat, Range and the like.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from nnvet.formats.onnx.context import NodeContext

SHAPES: Final = ("Shape", "Size")
"""Operators that depend only on the shape of the input."""
KNOWN: Final = ("ConstantOfShape", "EyeLike", "Range")
"""Operators without a form in the contract, which are known if all inputs are constant."""
_LARGEST: Final = 2**28
"""Most elements of a computed constant."""


def fold(context: NodeContext, onnx: Any) -> bool:
    """Add the outputs of a node to the constants if they are known; return True if they are.

    :raises ModelFileError: the node cannot be computed.
    """
    constants = context.conversion.constants
    if context.operator in SHAPES:
        sizes = _sizes(context)
        part = sizes[slice(context.attribute("start", 0), context.attribute("end"))]
        constants[context.output_names[0]] = np.asarray(
            part if context.operator == "Shape" else math.prod(sizes), np.int64
        )
        return True
    shapes = [context.conversion.shapes.get(name, ()) for name in context.output_names]
    if all(0 in shape for shape in shapes):
        for name, shape in zip(context.output_names, shapes, strict=True):
            constants[name] = np.zeros(shape, context.conversion.types[name])
        return True
    names = [name for name in context.input_names if name]
    if not names or not all(name in constants for name in names):
        return False
    for shape in shapes:
        if math.prod(shape) > _LARGEST:
            context.fail(f"its constant result has the shape {list(shape)}")
    try:
        proto = onnx.helper.make_node(context.operator, context.input_names, context.output_names, **context.attributes)
        evaluator = onnx.reference.ReferenceEvaluator(proto, opsets={"": context.conversion.opset})
        found = evaluator.run(None, {name: constants[name] for name in names})
    except Exception as error:  # noqa: BLE001 - each operator raises errors of its own
        context.fail(f"its constant result cannot be computed: {str(error).strip().splitlines()[:1]}")
    constants.update(zip(context.output_names, map(np.asarray, found), strict=False))
    return True


def _sizes(context: NodeContext) -> tuple[int, ...]:
    """Return the dimensions of the first input; () for a scalar."""
    constant = context.array(0)
    if constant is not None:
        return constant.shape
    known = context.conversion.shapes.get(context.input_names[0])
    return context.shape(0) if known is None else known
