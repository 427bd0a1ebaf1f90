"""All operators that can be converted, and what holds for whole groups of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.context import Context
from nnvet.formats.tflite.operators import convolution, detection, layouts, movement, numeric, recurrent
from nnvet.formats.tflite.schema import TensorType
from nnvet.hal.errors import HalError

FUNCTIONS: Final[dict[str, Callable[[Context], None]]] = {
    **dict.fromkeys(layouts.LAYOUTS, layouts.convert),
    **convolution.FUNCTIONS,
    **detection.FUNCTIONS,
    **movement.FUNCTIONS,
    **numeric.FUNCTIONS,
    **recurrent.FUNCTIONS,
}
RAW_CODES: Final = frozenset({"GATHER", "MAXIMUM", "MINIMUM", "PACK", "SELECT", "SELECT_V2", "SLICE", "STRIDED_SLICE"})
"""TFLite handles the codes of these as they are, whereas NNAPI may convert them: all scales must agree."""
FLOAT_ONLY: Final = {
    "DIV": "TFLite rounds integer quotients toward zero, NNAPI down",
    "TOPK_V2": "TFLite puts the first of equal values first, NNAPI the last, and equal codes are common",
}
"""Operators whose integer forms differ, with the difference."""
_BYTES: Final = (TensorType.UINT8, TensorType.INT8)


def convert(context: Context) -> None:
    """Emit NNAPI operations for one operator.

    :raises ModelFileError: if it has no NNAPI form that computes the same.
    """
    name = context.operator.name
    if name not in FUNCTIONS:
        context.fail("it has no NNAPI counterpart", "convert the model without it, or run that part elsewhere")
    if not context.operator.outputs:
        context.fail("it has no output", "convert the model again")
    if name in FLOAT_ONLY and context.output_tensor().type != TensorType.FLOAT32:
        context.fail(FLOAT_ONLY[name], "keep it in float")
    if name in RAW_CODES:
        tensors = context.conversion.source.tensors
        ends = [tensors[index] for index in (*context.operator.inputs, *context.operator.outputs) if index >= 0]
        if len({(tensor.scales, tensor.zero_points) for tensor in ends if tensor.type in _BYTES}) > 1:
            context.fail("inputs and output have different scales", "quantise the model with equal ones")
    try:
        with np.errstate(all="ignore"):
            FUNCTIONS[name](context)
    except ModelFileError:
        raise
    except HalError as error:
        context.fail(error.message, "convert the model in another way")
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # Counts, ranks and sizes that no converter writes; what each function may take for granted ends here.
        context.fail(f"its tensors do not fit together ({error})", "convert the model again")
