"""Further checks of ``MemoryDomainExecutionTest``, which VTS does not have: the life cycle of device memory.

They are registered like those of :mod:`nnvet.conformance.suites.memory.execution`, where VTS's own checks are. Source:
docs/contract/hal.md 11.3; docs/contract/cts-tests.md 2.7.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nnvet.conformance.kit.device_memory import write
from nnvet.conformance.kit.executing import Executor
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.suites.memory import domain
from nnvet.conformance.suites.memory.execution import execution_check
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.types import BufferRole, DataLocation, OperandType

_NONE, _INVALID, _FAILED = ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE
_BAD_ACTIVATION: Final = 999
"""Code that no fused activation has."""
_TYPES: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM)
"""One type of each size, which suffices here."""


@execution_check("ReleasedToken", "buffer/released", types=_TYPES)
def released_token(fixture: domain.Fixture) -> None:
    """The token of a released buffer is refused."""
    prepared, runner = fixture.convolution(), fixture.runner
    buffer, token = fixture.memory(prepared, (0,), (0,))
    write(buffer, fixture.data())
    runner.expect(_NONE, "execution/status", prepared, [runner.device(token)], [fixture.output()])
    del buffer
    runner.expect(_INVALID, "buffer/released", prepared, [runner.device(token)], [fixture.output()])
    runner.expect(_INVALID, "buffer/released", prepared, [fixture.shared()], [runner.device(token)])


@execution_check("InvalidLocation", "request/pool.bounds", types=_TYPES)
def invalid_location(fixture: domain.Fixture) -> None:
    """An offset or a length within device memory, which has no addresses, is refused; in CTS, but not in VTS."""
    prepared, runner = fixture.convolution(), fixture.runner
    buffer, token = fixture.memory(prepared, (0,), (0,))
    write(buffer, fixture.data())
    for place in (DataLocation(offset=4), DataLocation(length=fixture.size), DataLocation(padding=4)):
        argument = runner.device(token)
        moved = replace(argument, location=replace(place, pool_index=argument.location.pool_index))
        runner.expect(_INVALID, "request/pool.bounds", prepared, [moved], [fixture.output()])
        runner.expect(_INVALID, "request/pool.bounds", prepared, [fixture.shared()], [moved])
    fixture.check_device_memory(prepared)


@execution_check("ShapeOfLastExecution", "buffer/dimensions", "buffer/content", "buffer/copy.size", types=_TYPES)
def shape_of_last_execution(fixture: domain.Fixture) -> None:
    """Device memory of unknown batch has the batch of the last execution that wrote it."""
    prepared, runner = fixture.convolution(dimensions=domain.UNKNOWN_BATCH), fixture.runner
    buffer, token = fixture.memory(prepared, (0,), (0,))
    write(buffer, fixture.data(), domain.SHAPE)
    both = runner.shared(fixture.data(batch=2), domain.OTHER_BATCH)
    output = runner.output(2 * fixture.size, domain.OTHER_BATCH)
    runner.expect(_NONE, "execution/status", prepared, [both], [runner.device(token, domain.OTHER_BATCH)])
    domain.Copies(buffer, fixture.data(batch=2)).check()
    runner.expect(_NONE, "execution/status", prepared, [runner.device(token, domain.OTHER_BATCH)], [output])
    if runner.content(output) != fixture.data(batch=2):
        raise fail("buffer/content", "the execution does not yield what its input held")
    smaller = runner.output(fixture.size, domain.SHAPE)
    runner.expect(_INVALID, "buffer/dimensions", prepared, [runner.device(token, domain.SHAPE)], [smaller])


@execution_check("FailedExecution", "buffer/failed", "execution/expected_failure", types=_TYPES)
def failed_execution(fixture: domain.Fixture) -> None:
    """A failed execution leaves no content in its output, even if there was some; in CTS, but not in VTS."""
    prepared, runner = domain.prepare_sum(fixture.subject, fixture.type), fixture.runner
    buffer, token = fixture.memory(prepared, (0,), (0,))
    write(buffer, fixture.data())
    activation = runner.shared(_BAD_ACTIVATION.to_bytes(4, "little"))
    inputs = [fixture.shared(), fixture.shared()]
    for answer in runner.run(prepared, [*inputs, activation], [runner.device(token)]):
        if answer.status is _NONE:
            what = f"an addition with activation {_BAD_ACTIVATION} succeeds"
            if fixture.type is not OperandType.TENSOR_FLOAT32:
                # Only for floats must a wrong activation fail: docs/contract/operations/common.md 10.
                raise unsupported(f"{what}, as it may on codes")
            raise fail("execution/expected_failure", what)
    domain.Copies(buffer, fixture.data()).check_refused_to("buffer/failed", fixture.size, domain.FAILED)
    none = runner.shared(bytes(4))
    runner.expect(_FAILED, "buffer/failed", prepared, [runner.device(token), inputs[1], none], [fixture.output()])


@execution_check("OutputTooLarge", "buffer/failed", "buffer/output", types=_TYPES, without=(Executor.FENCED,))
def output_too_large(fixture: domain.Fixture) -> None:
    """An output that does not fit leaves no content, either."""
    prepared, runner = fixture.convolution(dimensions=domain.UNKNOWN_BATCH), fixture.runner
    buffer, token = fixture.memory(prepared, (), (0,), dimensions=domain.SHAPE)
    write(buffer, fixture.data())
    both = runner.shared(fixture.data(batch=2), domain.OTHER_BATCH)
    runner.expect(_FAILED, "buffer/output", prepared, [both], [runner.device(token)])
    domain.Copies(buffer, fixture.data()).check_refused_to("buffer/failed", fixture.size, domain.FAILED)


@execution_check("Chain", "buffer/content", types=_TYPES)
def chain(fixture: domain.Fixture) -> None:
    """The output of a model can be the input of another one without shared memory between them; in CTS, not in VTS."""
    first, runner = fixture.convolution(), fixture.runner
    second = domain.prepare_own(fixture.subject, domain.convolutions(fixture.type))
    start, start_token = fixture.memory(first, (0,))
    between, token = domain.allocate_memory(fixture.subject, (first, second), (BufferRole(1, 0),), domain.ROLE)
    write(start, fixture.data(seed=1))
    output = fixture.output()
    runner.expect(_NONE, "execution/status", first, [runner.device(start_token)], [runner.device(token)])
    runner.expect(_NONE, "execution/status", second, [runner.device(token)], [output])
    fixture.check(output, seed=1)
    domain.Copies(between, fixture.data(seed=1)).check()


@execution_check("ContentChanges", "buffer/content", types=_TYPES)
def content_changes(fixture: domain.Fixture) -> None:
    """An open burst or reusable execution uses the present content of its device memory."""
    prepared, runner = fixture.convolution(), fixture.runner
    buffer, token = fixture.memory(prepared, (0,))
    output = fixture.output()
    with runner.open(prepared, [runner.device(token)], [output]) as run:
        for seed in (1, 2):
            write(buffer, fixture.data(seed))
            for answer in run():
                if answer.status is not _NONE:
                    raise fail("execution/status", f"status {answer.status.name}: {answer.message}")
            fixture.check(output, seed)
