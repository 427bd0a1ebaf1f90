"""Bugs of single kernels and of how they go together, which only many models of all shapes find."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandLifeTime, OperationType
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.zoo.full_device import WrongKernels, only
from nnvet.reference_driver.zoo.registry import bug

_O = OperationType
_UNARY: Final = frozenset((_O.ABS, _O.LOGICAL_NOT, _O.NEG, _O.RELU, _O.RELU1, _O.RELU6, _O.SIN, _O.SQRT))
_BROADCAST: Final = frozenset((_O.ADD, _O.MUL, _O.SUB, _O.MAXIMUM, _O.MINIMUM))
_BLOCK: Final = 64
_LARGE: Final = 1000
_DRIFT: Final = 4e-6


def _cases(single: str = "", graphs: str = "") -> tuple[str, ...]:
    """Ids of cases, from what of their names differs."""
    return (
        *(f"TestRandomGraph/SingleOperationTest.{name}" for name in single.split()),
        *(f"TestRandomGraph/RandomGraphTest.{name}" for name in graphs.split()),
    )


@bug(
    "graph-in-place",
    "Simple operations write over their input, though others read it later.",
    rules=("execution/output.value",),
    breaks=_cases(
        graphs="""
        SmallGraph_TENSOR_FLOAT16_Rank2/1
        LargeGraph_TENSOR_FLOAT32_Rank4/1 LargeGraph_TENSOR_FLOAT32_Rank3/0 LargeGraph_TENSOR_FLOAT32_Rank2/0
        LargeGraph_TENSOR_FLOAT32_Rank1/[01] LargeGraph_TENSOR_FLOAT16_Rank4/0 LargeGraph_TENSOR_FLOAT16_Rank3/0
        LargeGraph_TENSOR_FLOAT16_Rank2/1 LargeGraph_TENSOR_INT32_Rank4/1 LargeGraph_TENSOR_INT32_Rank3/1
        LargeGraph_TENSOR_INT32_Rank2/[01] LargeGraph_TENSOR_INT32_Rank1/0
        LargeGraph_TENSOR_BOOL8_Rank4/0 LargeGraph_TENSOR_BOOL8_Rank[23]/1
        """
    ),
)
def graph_in_place() -> Device:
    """Saves memory where an input is a temporary."""

    def in_place(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        source = call["input"].array
        if source.flags.writeable:
            source[...] = result
        return result

    return WrongKernels(_UNARY, in_place, (OperandLifeTime.TEMPORARY_VARIABLE,))


@bug(
    "graph-broadcast",
    "Of an operand with a size of 1 between others only the first row is read.",
    rules=("execution/output.value",),
    breaks=_cases(
        single="""
        ADD_V1_3/0 MAXIMUM_V1_3/0 SUB_V1_[13]/0
        """,
        graphs="""
        LargeGraph_TENSOR_INT32_Rank4/1
        """,
    ),
)
def graph_broadcast() -> Device:
    """Strides are forgotten behind a dimension that is broadcast."""

    def narrow(kernel: Kernel, call: Call) -> Array:
        for name, argument in call.inputs.items():
            if 1 in argument.dimensions[1:-1] and argument.dimensions != call.output.dimensions:
                value = np.broadcast_to(argument.array[:1], argument.dimensions)
                call.inputs[name] = replace(argument, value=value)
        return only(kernel(call))

    return WrongKernels(_BROADCAST, narrow)


@bug(
    "graph-blocks",
    "What is left over beyond full blocks of large tensors is never computed.",
    rules=("execution/output.value",),
    breaks=_cases(
        single="""
        EXP_V1_2/1 LOGISTIC_V1_0/[01] LOGISTIC_V1_3/1 LOG_V1_2/0 RSQRT_V1_2/1 SIN_V1_2/0 SQRT_V1_2/[01] TANH_V1_0/1
        TANH_V1_2/0
        """,
        graphs="""
        SmallGraph_TENSOR_FLOAT32_Rank4/0 LargeGraph_TENSOR_FLOAT32_Rank4/0
        """,
    ),
)
def graph_blocks() -> Device:
    """A vector loop without its end."""

    def blocks(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if result.size > _LARGE:
            result.reshape(-1)[result.size - result.size % _BLOCK :] = 0
        return result

    return WrongKernels({_O.TANH, _O.LOGISTIC, _O.EXP, _O.LOG, _O.SIN, _O.SQRT, _O.RSQRT, _O.POW}, blocks)


@bug(
    "graph-drift",
    "Every result of PRELU is too large by a little, less than any tolerance.",
    rules=("execution/output.value",),
    breaks=_cases(
        single="""
        PRELU_V1_2/0
        """
    ),
)
def graph_drift() -> Device:
    """Found by the mean of the differences alone."""

    def drift(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        return result + result.dtype.type(_DRIFT) if type_info(call.output.type).dtype == "float32" else result

    return WrongKernels({_O.PRELU}, drift)
