"""Planted bugs that no single answer shows: only another form of the model, or many models, reveal them.

Each answer by itself is nearly right, or belongs to a model that no other test has. The answer is wrong when compared
with another form of the same test, such as the signed twin of a model of unsigned codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal import types as hal
from nnvet.hal.interfaces import Burst, Device
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, WrongKernels, only, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_O: Final = hal.OperationType
_PART: Final = 2.0**-7
"""Relative error of wrong results."""
_LEAK: Final = 2.0**-10
"""Share of a negative value that passes a RELU."""
_CODES: Final = 3
"""Number of codes by which results are wrong."""
_EIGHT_BITS: Final = range(128, 256)
"""Sizes in bytes that need eight bits."""


@bug(
    "relation-later-rows",
    "Rows of a batch after the first are a little too large.",
    rules=("execution/output.bound",),
    breaks=("Metamorphic/PermutedBatch/0", "Metamorphic/RepeatedBatch/0"),
    # A 128th is within the tolerance of float16, so only --strict fails it.
    strict=True,
)
def relation_later_rows() -> Device:
    """Compute the rows after the first one by another path."""

    def later(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if call.output.type == hal.OperandType.TENSOR_FLOAT16:
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
    """Let negative values leak through a fused RELU; the operation RELU is right."""

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
    """Round up codes in the kernels for the layout NCHW, which are separate ones."""

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
    """Store constants as float16, to save memory."""

    def kept(kernel: Kernel, call: Call) -> Array:
        narrow = {
            name: replace(argument, value=argument.array.astype(np.float16).astype(np.float32))
            for name, argument in call.inputs.items()
            if argument.constant and argument.type == hal.OperandType.TENSOR_FLOAT32
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
    """Read a wrong table if the input was just computed, as if the two operations were fused."""

    def fused(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if call.output.type == hal.OperandType.TENSOR_FLOAT32:
            result[..., 0] *= 1 + _PART
        return result

    return WrongKernels({_O.ROI_ALIGN}, fused, (hal.OperandLifeTime.TEMPORARY_VARIABLE,))


@bug(
    "relation-burst",
    "Bursts leave out the last byte of outputs of 128 to 255 bytes.",
    rules=("execution/executors",),
    breaks=("Metamorphic/Executors/0",),
)
def relation_burst() -> Device:
    """Keep the size in seven bits, for which these outputs are too large."""

    class Short(ReferencePreparedModel):
        def configure_execution_burst(self) -> Burst:
            """Return a burst that copies too little."""
            return _ShortBurst(super().configure_execution_burst())

    return with_prepared_model(Short)


class _ShortBurst:
    def __init__(self, burst: Burst) -> None:
        self._burst = burst

    def execute_synchronously(
        self, request: hal.Request, tokens: Sequence[int], config: hal.ExecutionConfig, deadline_ns: int
    ) -> hal.ExecutionResult:
        """Execute, and drop the last byte."""
        result = self._burst.execute_synchronously(request, tokens, config, deadline_ns)
        for argument in request.outputs:
            place = argument.location
            memory = request.pools[place.pool_index]
            if place.length in _EIGHT_BITS and not isinstance(memory, hal.BufferToken):
                with mapped(memory, writable=True) as view:
                    view[place.offset + place.length - 1] = 0
        return result

    def release_memory_resource(self, token: int) -> None:
        """Pass the call on."""
        self._burst.release_memory_resource(token)


def _above(codes: Array, steps: int) -> Array:
    limits = np.iinfo(codes.dtype)
    return np.clip(codes.astype(np.int32) + steps, limits.min, limits.max).astype(codes.dtype)


_COUPLED: Final = ("QuantizationCouplingTest/*/zoo_add_quant8",)
"""Cases that compare signed and unsigned twins of a sum."""
_SIGNED: Final = hal.OperandType.TENSOR_QUANT8_ASYMM_SIGNED
"""Type of signed codes."""
_ERRORS: Final = {hal.OperandType.TENSOR_QUANT8_ASYMM: -1, _SIGNED: 1}
"""Error of the sum, in codes, by type of its operands."""


def _adds_constant(model: hal.Model, kind: hal.OperandType) -> bool:
    """Return True if a model adds a constant to a vector of this type; no other suite does that."""
    main = model.main
    if [operation.type for operation in main.operations] != [hal.OperationType.ADD]:
        return False
    (add,) = main.operations
    output, second = main.operands[add.outputs[0]], main.operands[add.inputs[1]]
    return output.type == kind and len(output.dimensions) == 1 and second.lifetime == hal.OperandLifeTime.CONSTANT_COPY


@bug(
    "coupling-apart",
    "Sums of 8-bit numbers are a code too high if signed, too low if unsigned: each is off by one at most.",
    rules=("execution/coupling",),
    breaks=_COUPLED,
)
def coupling_apart() -> Device:
    """Be wrong by one code in opposite directions: only a comparison of the twins shows it."""

    class Apart(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
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
    """Support one of the twins only."""

    class Unsigned(FullDevice):
        def supports(self, model: hal.Model, operation: hal.Operation) -> bool:
            """Return False for signed sums."""
            return super().supports(model, operation) and not _adds_constant(model, _SIGNED)

    return Unsigned()


_UNARY: Final = frozenset(
    (
        _O.ABS,
        _O.LOGICAL_NOT,
        _O.NEG,
        _O.RELU,
        _O.RELU1,
        _O.RELU6,
        _O.SIN,
        _O.SQRT,
    )
)
"""Functions of single elements, which may write over their input."""
_BROADCAST: Final = frozenset(
    (
        _O.ADD,
        _O.MUL,
        _O.SUB,
        _O.MAXIMUM,
        _O.MINIMUM,
    )
)
"""Operations that broadcast their inputs."""
_BLOCK: Final = 64
"""Elements that the vector loop computes at a time."""
_LARGE: Final = 1000
"""Results with at most this many elements are computed right."""
_DRIFT: Final = 4e-6
"""Amount by which every result is too large."""


def _cases(single: str = "", graphs: str = "") -> tuple[str, ...]:
    """Return the ids of cases, given the parts of their names that differ."""
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
    """Write over an input that is a temporary, to save memory."""

    def in_place(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        source = call["input"].array
        if source.flags.writeable:
            source[...] = result
        return result

    return WrongKernels(_UNARY, in_place, (hal.OperandLifeTime.TEMPORARY_VARIABLE,))


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
    """Forget the strides behind a broadcast dimension."""

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
    """Omit the rest behind the full blocks of a vector loop."""

    def blocks(kernel: Kernel, call: Call) -> Array:
        result = np.array(only(kernel(call)))
        if result.size > _LARGE:
            result.reshape(-1)[result.size - result.size % _BLOCK :] = 0
        return result

    return WrongKernels(
        {
            _O.TANH,
            _O.LOGISTIC,
            _O.EXP,
            _O.LOG,
            _O.SIN,
            _O.SQRT,
            _O.RSQRT,
            _O.POW,
        },
        blocks,
    )


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
    """Shift all results by less than any tolerance: only the mean of the differences shows it."""

    def drift(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        return result + result.dtype.type(_DRIFT) if type_info(call.output.type).dtype == "float32" else result

    return WrongKernels({_O.PRELU}, drift)
