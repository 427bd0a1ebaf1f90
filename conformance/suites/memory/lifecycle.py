"""MemoryDomainExecutionTest, what VTS leaves out: the life of device memory.

Source: docs/contract/hal.md 11.3; CTS 2.7.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.config import Executor
from nnvet.conformance.engine.device_memory import write
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.suites.memory.device_copies import FAILED, Copies
from nnvet.conformance.suites.memory.domain import (
    OTHER_BATCH,
    ROLE,
    UNKNOWN_BATCH,
    Scene,
    device_memory,
    fresh,
    sum_of_two,
)
from nnvet.conformance.suites.memory.execution import execution_check
from nnvet.conformance.suites.memory.models import SHAPE, convolutions
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.types import BufferRole, DataLocation, OperandType

_NONE, _INVALID, _FAILED = ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE
_BAD_ACTIVATION: Final = 999
_TYPES: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM)
"""One type of each size has to do here."""


@execution_check("ReleasedToken", "buffer/released", types=_TYPES)
def released_token(scene: Scene) -> None:
    """The token of a buffer that is not there any more."""
    prepared, bench = scene.convolution(), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    write(buffer, scene.data())
    bench.expect(_NONE, "execution/status", prepared, [bench.device(token)], [scene.room()])
    del buffer
    bench.expect(_INVALID, "buffer/released", prepared, [bench.device(token)], [scene.room()])
    bench.expect(_INVALID, "buffer/released", prepared, [scene.shared()], [bench.device(token)])


@execution_check("InvalidLocation", "request/pool.bounds", types=_TYPES)
def invalid_location(scene: Scene) -> None:
    """An offset or a length within device memory, which has no addresses; CTS has it."""
    prepared, bench = scene.convolution(), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    write(buffer, scene.data())
    for place in (DataLocation(offset=4), DataLocation(length=scene.size), DataLocation(padding=4)):
        argument = bench.device(token)
        moved = replace(argument, location=replace(place, pool_index=argument.location.pool_index))
        bench.expect(_INVALID, "request/pool.bounds", prepared, [moved], [scene.room()])
        bench.expect(_INVALID, "request/pool.bounds", prepared, [scene.shared()], [moved])
    scene.check_device_memory(prepared)


@execution_check("ShapeOfLastExecution", "buffer/dimensions", "buffer/content", "buffer/copy.size", types=_TYPES)
def shape_of_last_execution(scene: Scene) -> None:
    """Device memory of unknown batch has that of the execution which wrote it last."""
    prepared, bench = scene.convolution(dimensions=UNKNOWN_BATCH), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    write(buffer, scene.data(), SHAPE)
    both = bench.shared(scene.data(batch=2), OTHER_BATCH)
    output = bench.room(2 * scene.size, OTHER_BATCH)
    bench.expect(_NONE, "execution/status", prepared, [both], [bench.device(token, OTHER_BATCH)])
    Copies(buffer, scene.data(batch=2)).check()
    bench.expect(_NONE, "execution/status", prepared, [bench.device(token, OTHER_BATCH)], [output])
    if bench.content(output) != scene.data(batch=2):
        raise fail("buffer/content", "the execution does not yield what its input held")
    smaller = bench.room(scene.size, SHAPE)
    bench.expect(_INVALID, "buffer/dimensions", prepared, [bench.device(token, SHAPE)], [smaller])


@execution_check("FailedExecution", "buffer/failed", "execution/expected_failure", types=_TYPES)
def failed_execution(scene: Scene) -> None:
    """An execution that fails leaves no content in its output, whatever there was; CTS has it."""
    prepared, bench = sum_of_two(scene.subject, scene.type), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    write(buffer, scene.data())
    activation = bench.shared(_BAD_ACTIVATION.to_bytes(4, "little"))
    inputs = [scene.shared(), scene.shared()]
    for answer in bench.run(prepared, [*inputs, activation], [bench.device(token)]):
        if answer.status is _NONE:
            raise fail("execution/expected_failure", f"an addition with activation {_BAD_ACTIVATION} succeeds")
    Copies(buffer, scene.data()).refuses_to("buffer/failed", scene.size, FAILED)
    none = bench.shared(bytes(4))
    bench.expect(_FAILED, "buffer/failed", prepared, [bench.device(token), inputs[1], none], [scene.room()])


@execution_check("OutputTooLarge", "buffer/failed", "buffer/output", types=_TYPES, without=(Executor.FENCED,))
def output_too_large(scene: Scene) -> None:
    """An output that does not fit leaves no content either."""
    prepared, bench = scene.convolution(dimensions=UNKNOWN_BATCH), scene.bench
    buffer, token = scene.memory(prepared, (), (0,), dimensions=SHAPE)
    write(buffer, scene.data())
    both = bench.shared(scene.data(batch=2), OTHER_BATCH)
    bench.expect(_FAILED, "buffer/output", prepared, [both], [bench.device(token)])
    Copies(buffer, scene.data()).refuses_to("buffer/failed", scene.size, FAILED)


@execution_check("Chain", "buffer/content", types=_TYPES)
def chain(scene: Scene) -> None:
    """The output of one model is the input of another, without a detour through shared memory; CTS has it."""
    first, bench = scene.convolution(), scene.bench
    second = fresh(scene.subject, convolutions(scene.type))
    start, start_token = scene.memory(first, (0,))
    between, token = device_memory(scene.subject, (first, second), (BufferRole(1, 0),), ROLE)
    write(start, scene.data(seed=1))
    output = scene.room()
    bench.expect(_NONE, "execution/status", first, [bench.device(start_token)], [bench.device(token)])
    bench.expect(_NONE, "execution/status", second, [bench.device(token)], [output])
    scene.check(output, seed=1)
    Copies(between, scene.data(seed=1)).check()


@execution_check("ContentChanges", "buffer/content", types=_TYPES)
def content_changes(scene: Scene) -> None:
    """An open burst or reusable execution sees what its device memory holds now."""
    prepared, bench = scene.convolution(), scene.bench
    buffer, token = scene.memory(prepared, (0,))
    output = scene.room()
    run = bench.opened(prepared, [bench.device(token)], [output])
    for seed in (1, 2):
        write(buffer, scene.data(seed))
        for answer in run():
            if answer.status is not _NONE:
                raise fail("execution/status", f"status {answer.status.name}: {answer.message}")
        scene.check(output, seed)
