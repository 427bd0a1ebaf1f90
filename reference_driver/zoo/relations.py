"""Bugs of one form of a model: rows, layouts, fused activations, constants, results between operations, bursts, sign.

Each answer by itself is near what is right, or of a model that no other test has; beside another form, such as the
signed twin of a model of unsigned numbers, it is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal.interfaces import Burst, Device
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import (
    BufferToken,
    ExecutionConfig,
    ExecutionResult,
    Model,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    PrepareModelConfig,
    Request,
)
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, WrongKernels, only, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_O: Final = OperationType
_PART: Final = 2.0**-7
_LEAK: Final = 2.0**-10
_CODES: Final = 3
_EIGHT_BITS: Final = range(128, 256)


@bug(
    "relation-later-rows",
    "Rows of a batch after the first are a little too large.",
    rules=("execution/output.bound",),
    breaks=("Metamorphic/PermutedBatch/0", "Metamorphic/RepeatedBatch/0"),
    # One 128th more is within the tolerance of float16.
    strict=True,
)
def relation_later_rows() -> Device:
    """float16 has another path for what is left when the first row is done."""

    def later(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if call.output.type == OperandType.TENSOR_FLOAT16:
            result[1:] *= np.float16(1 + _PART)
        return result

    return WrongKernels({_O.CONV_2D, _O.L2_POOL_2D}, later)


@bug(
    "relation-fused-activation",
    "A fused RELU lets a thousandth of what is negative through.",
    rules=("relation/activation",),
    breaks=("Metamorphic/ExplicitActivation/0",),
)
def relation_fused_activation() -> Device:
    """The operation RELU does not."""

    def leaky(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        if call.scalar("activation") != 1 or not type_info(call.output.type).is_float:
            return result
        none = replace(call["activation"], value=np.zeros_like(call["activation"].array))
        plain = only(kernel(replace(call, inputs=call.inputs | {"activation": none})))
        leaked: Array = result + np.minimum(plain, 0) * result.dtype.type(_LEAK)
        return leaked

    return WrongKernels({_O.ADD, _O.SUB, _O.MUL}, leaky)


@bug(
    "relation-nchw",
    "Codes of NCHW images are rounded up by three more.",
    rules=("relation/layout",),
    breaks=("Metamorphic/OtherLayout/0",),
)
def relation_nchw() -> Device:
    """The other layout has kernels of its own."""

    def rounded(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        if not call.scalar("layout", False) or not type_info(call.output.type).is_quantized:
            return result
        return _above(result, _CODES)

    return WrongKernels({_O.DEPTHWISE_CONV_2D}, rounded)


@bug(
    "relation-constant",
    "Constants of float32 are kept as float16.",
    rules=("relation/constant",),
    breaks=("Metamorphic/ConstantAsInput/0",),
)
def relation_constant() -> Device:
    """They take less memory so."""

    def kept(kernel: Kernel, call: Call) -> Array:
        narrow = {
            name: replace(argument, value=argument.array.astype(np.float16).astype(np.float32))
            for name, argument in call.inputs.items()
            if argument.constant and argument.type == OperandType.TENSOR_FLOAT32
        }
        return only(kernel(replace(call, inputs=call.inputs | narrow)))

    return WrongKernels({_O.BATCH_MATMUL}, kept)


@bug(
    "relation-partition",
    "ROI_ALIGN of float32 that another operation has just computed is wrong in the first channel.",
    rules=("relation/whole",),
    breaks=("Metamorphic/Partitioned/0",),
)
def relation_partition() -> Device:
    """Read another table in operations that are fused."""

    def fused(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if call.output.type == OperandType.TENSOR_FLOAT32:
            result[..., 0] *= 1 + _PART
        return result

    return WrongKernels({_O.ROI_ALIGN}, fused, (OperandLifeTime.TEMPORARY_VARIABLE,))


@bug(
    "relation-burst",
    "Bursts leave out the last byte of outputs of 128 to 255 bytes.",
    rules=("execution/executors",),
    breaks=("Metamorphic/Executors/0",),
)
def relation_burst() -> Device:
    """Their size does not fit in seven bits."""

    class Short(ReferencePreparedModel):
        def configure_execution_burst(self) -> Burst:
            """A burst that copies too little."""
            return _ShortBurst(super().configure_execution_burst())

    return with_prepared_model(Short)


class _ShortBurst:
    def __init__(self, burst: Burst) -> None:
        self._burst = burst

    def execute_synchronously(
        self, request: Request, tokens: Sequence[int], config: ExecutionConfig, deadline_ns: int
    ) -> ExecutionResult:
        """Execute, and forget the last byte."""
        result = self._burst.execute_synchronously(request, tokens, config, deadline_ns)
        for argument in request.outputs:
            place = argument.location
            memory = request.pools[place.pool_index]
            if place.length in _EIGHT_BITS and not isinstance(memory, BufferToken):
                with mapped(memory, writable=True) as view:
                    view[place.offset + place.length - 1] = 0
        return result

    def release_memory_resource(self, token: int) -> None:
        """Pass on."""
        self._burst.release_memory_resource(token)


def _above(codes: Array, steps: int) -> Array:
    limits = np.iinfo(codes.dtype)
    return np.clip(codes.astype(np.int32) + steps, limits.min, limits.max).astype(codes.dtype)


_COUPLED: Final = ("QuantizationCouplingTest/*/zoo_add_quant8",)
_SIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
_ERRORS: Final = {OperandType.TENSOR_QUANT8_ASYMM: -1, _SIGNED: 1}


def _adds_constant(model: Model, kind: OperandType) -> bool:
    """Return True if a model adds a constant to a vector of a type, as checks of other suites never do."""
    main = model.main
    if [operation.type for operation in main.operations] != [OperationType.ADD]:
        return False
    (add,) = main.operations
    output, second = main.operands[add.outputs[0]], main.operands[add.inputs[1]]
    return output.type == kind and len(output.dimensions) == 1 and second.lifetime == OperandLifeTime.CONSTANT_COPY


@bug(
    "coupling-apart",
    "Sums of 8-bit numbers are a code too high if signed, too low if unsigned: each is off by one at most.",
    rules=("execution/coupling",),
    breaks=_COUPLED,
)
def coupling_apart() -> Device:
    """Found only where the twins are compared with each other."""

    class Apart(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Compute as if the sum had another zero point."""
            kinds = [kind for kind in _ERRORS if _adds_constant(model, kind)]
            if not kinds:
                return super().build(model, config)
            main, index = model.main, model.main.output_indexes[0]
            output = main.operands[index]
            output = replace(output, zero_point=output.zero_point + _ERRORS[kinds[0]])
            operands = (*main.operands[:index], output, *main.operands[index + 1 :])
            prepared = super().build(replace(model, main=replace(main, operands=operands)), config)
            prepared.model = model
            return prepared

    return Apart()


@bug(
    "coupling-signed-refused",
    "Sums of 8-bit numbers are supported only if they are unsigned.",
    rules=("prepare/coupling",),
    breaks=_COUPLED,
)
def coupling_signed_refused() -> Device:
    """One of the twins cannot be prepared."""

    class Unsigned(FullDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            """Not signed sums."""
            return super().supports(model, operation) and not _adds_constant(model, _SIGNED)

    return Unsigned()
