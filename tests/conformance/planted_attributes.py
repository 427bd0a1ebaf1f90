"""Drivers that are wrong where an operation has certain attributes, each right everywhere else."""

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import OperandType, OperationType
from nnvet.reference_driver.zoo.full_device import ChangedResults

_O = OperationType


def _wrong_where(operation: OperationType, *names: str, **values: int) -> Device:
    """Results of an operation are off by 5 where scalars have these values, and the inputs of ``names`` are there."""

    def change(call: Call, result: Array) -> Array:
        meets = all(name in call.inputs and call.scalar(name) == value for name, value in values.items())
        wrong: Array = result + 5 if meets and all(name in call.inputs for name in names) else result
        return wrong.astype(result.dtype)

    return ChangedResults({operation}, change)


def same_padding() -> Device:
    """Pools with padding SAME."""
    return _wrong_where(_O.MAX_POOL_2D, padding=1)


def padded_averages() -> Device:
    """Averages with padding SAME."""
    return _wrong_where(_O.AVERAGE_POOL_2D, padding=1)


def strided_same_padding() -> Device:
    """Depthwise convolutions with padding SAME and a stride of 2."""
    return _wrong_where(_O.DEPTHWISE_CONV_2D, padding=1, stride_width=2)


def channels_first() -> Device:
    """Images of L2_POOL_2D with channels before rows."""
    return _wrong_where(_O.L2_POOL_2D, layout=1)


def kept_dimensions() -> Device:
    """Sums that keep the dimensions that they go over."""
    return _wrong_where(_O.REDUCE_SUM, keep_dims=1)


def fused_relu6() -> Device:
    """Sums with RELU6 behind them."""
    return _wrong_where(_O.ADD, activation=3)


def one_rank() -> Device:
    """Square roots of tensors of rank 3."""

    def change(call: Call, result: Array) -> Array:
        return result + 1 if result.ndim == 3 else result

    return ChangedResults({_O.SQRT}, change)


def one_type() -> Device:
    """Logistic functions of float16."""

    def change(call: Call, result: Array) -> Array:
        return result + 1 if call.output.type == OperandType.TENSOR_FLOAT16 else result

    return ChangedResults({_O.LOGISTIC}, change)
