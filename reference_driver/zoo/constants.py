"""Planted bugs of constants, optional arguments, sizes, hints and padding; checks beyond those of CTS find them.

Each decorated function makes one wrong driver; :mod:`nnvet.reference_driver.zoo.registry` explains the decorator.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from nnvet.hal import types as hal
from nnvet.hal.enums import ErrorStatus, OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Device, PreparedModelCallback
from nnvet.hal.memory import map_memory
from nnvet.hal.validation.operands import byte_size
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, with_prepared_model
from nnvet.reference_driver.zoo.registry import bug

_MAPPINGS: deque[mmap.mmap] = deque(maxlen=4)
"""Mappings of the last requests, kept longer than a driver may."""
_POOLS = (OperationType.AVERAGE_POOL_2D, OperationType.MAX_POOL_2D, OperationType.L2_POOL_2D)
"""Operations whose last argument may be the layout."""
_GPU_DATA = 1 << 24
"""Usage bit of hardware buffers for data of the GPU."""


def _with_models(change: Callable[[hal.Model], hal.Model]) -> Device:
    """Make a driver that changes every model before it builds it."""

    class Changing(FullDevice):
        def build(self, model: hal.Model, config: hal.PrepareModelConfig) -> ReferencePreparedModel:
            """Build the changed model."""
            return super().build(change(model), config)

    return Changing()


def _aligned(multiple: int) -> Callable[[hal.Model], hal.Model]:
    """Return a change that moves constants in pools down to a multiple of ``multiple``."""

    def moved(operand: hal.Operand) -> hal.Operand:
        if operand.lifetime != OperandLifeTime.CONSTANT_REFERENCE:
            return operand
        offset = operand.location.offset // multiple * multiple
        return replace(operand, location=replace(operand.location, offset=offset))

    return lambda model: replace(
        model, main=replace(model.main, operands=tuple(moved(operand) for operand in model.main.operands))
    )


@bug(
    "constants-aligned",
    "Constants in pools are taken to begin at multiples of 64.",
    rules=("execution/output.value",),
    breaks=("MemoryTest/*", "MemoryLeakTest/TestASharedMemory/*"),
)
def constants_aligned() -> Device:
    """Round the offsets of constants down to multiples of 64."""
    return _with_models(_aligned(64))


@bug(
    "constants-words",
    "Constants in pools are taken to begin at multiples of 4.",
    rules=("execution/output.value",),
    breaks=("MemoryTest/*/odd", "MemoryLeakTest/TestASh*"),
)
def constants_words() -> Device:
    """Round the offsets of constants down to multiples of 4, which changes fewer models."""
    return _with_models(_aligned(4))


@bug(
    "constants-no-buffers",
    "Models with constants in hardware buffers are refused.",
    rules=("prepare/valid",),
    breaks=("MemoryTest/TestAHardwareBuffer/*", "TestCompliance/HardwareBufferModel"),
)
def constants_no_buffers() -> Device:
    """Behave like a driver of feature level 2, which knows no hardware buffers."""

    class Old(FullDevice):
        def get_supported_operations(self, model: hal.Model) -> tuple[bool, ...]:
            """Refuse hardware buffers."""
            if any(isinstance(pool, hal.HardwareBuffer) for pool in model.pools):
                raise invalid("hardware buffers begin at feature level 3", "model/level")
            return super().get_supported_operations(model)

    return Old()


@bug(
    "keeps-mappings",
    "Memory of the last requests stays mapped.",
    rules=("client/leak",),
    breaks=("MemoryLeakTest/TestASharedMemory/*",),
)
def keeps_mappings() -> Device:
    """Unmap the memory of a request only when the next one comes."""

    class Keeping(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Map all pools once more, and keep the mapping."""
            pools = (pool for pool in request.pools if not isinstance(pool, hal.BufferToken))
            _MAPPINGS.extend(map_memory(pool, writable=False) for pool in pools)
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Keeping)


@bug(
    "layout-unsupported",
    "Pooling with a layout is not supported, not even if it is the default.",
    rules=("execution/default_arguments",),
    breaks=("TestRemoveDefaultArguments/Operation/*_POOL_2D/*",),
)
def layout_unsupported() -> Device:
    """Look at the number of arguments alone."""

    class Short(FullDevice):
        def supports(self, model: hal.Model, operation: hal.Operation) -> bool:
            """Return False for a BOOL at the end."""
            kinds = [model.main.operands[index].type for index in operation.inputs[-1:]]
            is_long = operation.type in _POOLS and kinds == [OperandType.BOOL]
            return not is_long and super().supports(model, operation)

    return Short()


@bug(
    "axis-from-front",
    "Axis -1 of a SOFTMAX is taken for the first one.",
    rules=("execution/default_arguments",),
    breaks=("TestRemoveDefaultArguments/Operation/SOFTMAX",),
)
def axis_from_front() -> Device:
    """Replace a negative axis by 0."""

    def changed(model: hal.Model) -> hal.Model:
        values = bytearray(model.operand_values)
        for operation in model.main.operations:
            if operation.type == OperationType.SOFTMAX and len(operation.inputs) == 3:  # noqa: PLR2004 - with an axis
                place = model.main.operands[operation.inputs[2]].location
                values[place.offset : place.offset + place.length] = bytes(place.length)
        return replace(model, operand_values=bytes(values))

    return _with_models(changed)


@bug(
    "too-large-succeeds",
    "What needs too much memory succeeds without being computed.",
    rules=(
        "execution/output.value",
        "execution/oversized",
    ),
    breaks=("TestValidation/DimensionProductOverflow2/*", "MemoryLeakTest/convTooLarge"),
)
def too_large_succeeds() -> Device:
    """Let the product of sizes overflow to 0, for which nothing has to be computed."""

    class Careless(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Skip the execution if an operand is too large."""
            try:
                return super().run(request, config, deadline_ns)
            except HalError as error:
                if error.rule != "execution/memory" and not error.rule.startswith("CONV_2D/"):
                    raise
            indexes = self.model.main.output_indexes
            return hal.ExecutionResult(
                True, tuple(hal.OutputShape(self.model.main.operands[i].dimensions) for i in indexes)
            )

    return with_prepared_model(Careless)


@bug(
    "hints-refused",
    "Hints of an unknown extension make a preparation fail.",
    rules=("extension/hints",),
    breaks=("TestValidation/CompilationExtension/AddExtensionAttribute",),
)
def hints_refused() -> Device:
    """Refuse hints, which a driver has to ignore if it does not know them."""

    class Strict(FullDevice):
        def prepare_model(
            self, model: hal.Model, config: hal.PrepareModelConfig, callback: PreparedModelCallback
        ) -> None:
            """Refuse hints."""
            if config.compilation_hints:
                callback.notify(ErrorStatus.INVALID_ARGUMENT, None)
                raise invalid("there is no such extension", "extension/hints")
            super().prepare_model(model, config, callback)

    return Strict()


@bug(
    "gpu-buffers-refused",
    "Hardware buffers that a graphics processor may use are not mapped.",
    rules=("execution/status",),
    breaks=("TestTrivialModel/AddTwoWithHardwareBufferInputWithGPUUsage/*",),
)
def gpu_buffers_refused() -> Device:
    """Refuse memory by its usage, which does not concern whoever maps it."""

    class Timid(ReferencePreparedModel):
        def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
            """Look at the usage."""
            if any(isinstance(pool, hal.HardwareBuffer) and pool.usage & _GPU_DATA for pool in request.pools):
                raise failure("this buffer is for the graphics processor", "memory/map")
            return super().run(request, config, deadline_ns)

    return with_prepared_model(Timid)


@bug(
    "padding-counts",
    "Padding makes up for missing bytes.",
    rules=("execution/invalid",),
    breaks=("TestValidation/Execution/*EnablePadding",),
)
def padding_counts() -> Device:
    """Add length and padding before the check of sizes."""

    def widened(argument: hal.RequestArgument, operand: hal.Operand) -> hal.RequestArgument:
        place = argument.location
        if place.length + place.padding != byte_size(operand.type, operand.dimensions):
            return argument
        return replace(argument, location=replace(place, length=place.length + place.padding, padding=0))

    class Padded(ReferencePreparedModel):
        def _check(
            self,
            request: hal.Request,
            config: hal.ExecutionConfig,
            deadline_ns: int,
            *,
            unspecified_outputs: bool = True,
        ) -> None:
            main = self.model.main
            sides = ((request.inputs, main.input_indexes), (request.outputs, main.output_indexes))
            inputs, outputs = (
                tuple(
                    widened(argument, main.operands[index]) for argument, index in zip(arguments, indexes, strict=False)
                )
                + arguments[len(indexes) :]
                for arguments, indexes in sides
            )
            changed = replace(request, inputs=inputs, outputs=outputs)
            super()._check(changed, config, deadline_ns, unspecified_outputs=unspecified_outputs)

    return with_prepared_model(Padded)
