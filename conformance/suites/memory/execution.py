"""MemoryDomainExecutionTest: device memory in requests.

The models copy each input to its output, so that values are known and compared, unlike in VTS. Source:
docs/contract/vts-tests.md 6.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.device_memory import read, write
from nnvet.conformance.engine.executing import Executor
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.memory.domain import (
    LEVEL,
    OTHER_BATCH,
    SHAPE,
    TYPES,
    UNKNOWN_BATCH,
    Fixture,
    convolutions,
    fresh,
)
from nnvet.conformance.suites.memory.request_runner import request_runner
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.types import OperandType

_SUITE: Final = "MemoryDomainExecutionTest"
_NONE, _INVALID, _FAILED = ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE
_UNKNOWN_TOKENS: Final = (0, 100, -1, 2**31 - 1)

Body = Callable[[Fixture], None]


def execution_check(
    name: str, *rules: str, types: Sequence[OperandType] = TYPES, without: Sequence[Executor] = ()
) -> Callable[[Body], Body]:
    """Register a check that runs for each type and executor."""
    parameters = {
        f"{operand_type.name}_{executor.value}": (operand_type, executor)
        for operand_type, executor in product(types, Executor)
        if executor not in without
    }

    def register(body: Body) -> Body:
        @check(_SUITE, name, rules=rules, level=LEVEL, parameters=lambda: parameters)
        def run(subject: Subject, parameter: tuple[OperandType, Executor]) -> None:
            operand_type, executor = parameter
            with request_runner(subject, executor) as made:
                body(Fixture(subject, operand_type, made))

        return body

    return register


@execution_check("InvalidToken", "buffer/token")
def invalid_token(fixture: Fixture) -> None:
    """A token that no buffer has is refused, for an input and for an output."""
    prepared, runner = fixture.convolution(), fixture.runner
    for token in _UNKNOWN_TOKENS:
        runner.expect(_INVALID, "buffer/token", prepared, [runner.device(token)], [fixture.output()])
        runner.expect(_INVALID, "buffer/token", prepared, [fixture.shared()], [runner.device(token)])
    fixture.check_device_memory(prepared)


@execution_check("InvalidPreparedModel", "buffer/role")
def invalid_prepared_model(fixture: Fixture) -> None:
    """Buffers of a prepared model are refused by another one of the same model."""
    prepared, runner = fixture.convolution(), fixture.runner
    other = fresh(fixture.subject, convolutions(fixture.type))
    (first, token), (_second, output_token) = fixture.memory(prepared, (0,)), fixture.memory(prepared, (), (0,))
    write(first, fixture.data())
    runner.expect(_INVALID, "buffer/role", other, [runner.device(token)], [fixture.output()])
    runner.expect(_INVALID, "buffer/role", other, [fixture.shared()], [runner.device(output_token)])
    fixture.check_device_memory(other)


@execution_check("InvalidIOIndex", "buffer/role")
def invalid_io_index(fixture: Fixture) -> None:
    """Buffers of input 0 and of output 0 are refused as input 1 and as output 1."""
    prepared, runner = fixture.convolution(2), fixture.runner
    (first, token), (_second, output_token) = fixture.memory(prepared, (0,)), fixture.memory(prepared, (), (0,))
    write(first, fixture.data())
    shared, outputs = [fixture.shared(), fixture.shared()], [fixture.output(), fixture.output()]
    runner.expect(_INVALID, "buffer/role", prepared, [shared[0], runner.device(token)], outputs)
    runner.expect(_INVALID, "buffer/role", prepared, shared, [outputs[0], runner.device(output_token)])
    runner.expect(_NONE, "execution/status", prepared, [runner.device(token), shared[1]], outputs)
    runner.expect(_NONE, "execution/status", prepared, shared, [runner.device(output_token), outputs[1]])


@execution_check("InvalidIOType", "buffer/role")
def invalid_io_type(fixture: Fixture) -> None:
    """A buffer of an input is refused as an output, and the other way round."""
    prepared, runner = fixture.convolution(), fixture.runner
    (_first, token), (_second, output_token) = fixture.memory(prepared, (0,)), fixture.memory(prepared, (), (0,))
    runner.expect(_INVALID, "buffer/role", prepared, [fixture.shared()], [runner.device(token)])
    runner.expect(_NONE, "execution/status", prepared, [fixture.shared()], [runner.device(output_token)])
    runner.expect(_INVALID, "buffer/role", prepared, [runner.device(output_token)], [fixture.output()])


@execution_check("UninitializedMemory", "buffer/uninitialised", "buffer/content")
def uninitialized_memory(fixture: Fixture) -> None:
    """Fresh device memory is refused as an input; after it was an output it is accepted."""
    prepared, runner = fixture.convolution(), fixture.runner
    buffer, token = fixture.memory(prepared, (0,), (0,))
    output = fixture.output()
    runner.expect(_FAILED, "buffer/uninitialised", prepared, [runner.device(token)], [output])
    runner.expect(_NONE, "execution/status", prepared, [fixture.shared()], [runner.device(token)])
    runner.expect(_NONE, "execution/status", prepared, [runner.device(token)], [output])
    fixture.check(output)
    if read(buffer, fixture.size) != fixture.data():
        raise fail("buffer/content", "copyTo does not yield what an execution has written")


@execution_check("SameRequestMultipleRoles", "buffer/exclusive", "buffer/content")
def same_request_multiple_roles(fixture: Fixture) -> None:
    """A buffer may be two inputs, but neither an input and an output nor two outputs, by one pool or by two."""
    prepared, runner = fixture.convolution(2), fixture.runner
    buffer, token = fixture.memory(prepared, (0, 1), (0, 1))
    shared, outputs = [fixture.shared(), fixture.shared()], [fixture.output(), fixture.output()]
    one = runner.device(token)
    for other in (one, runner.device(token)):
        write(buffer, fixture.data())
        runner.expect(_INVALID, "buffer/exclusive", prepared, [one, shared[1]], [other, outputs[1]])
        runner.expect(_INVALID, "buffer/exclusive", prepared, shared, [one, other])
        write(buffer, fixture.data(seed=1))
        runner.expect(_NONE, "execution/status", prepared, [one, other], outputs)
        fixture.check(outputs[0], seed=1)
        fixture.check(outputs[1], seed=1)


@execution_check("InvalidDimensions", "buffer/dimensions", "buffer/output", without=(Executor.FENCED,))
def invalid_dimensions(fixture: Fixture) -> None:
    """Arguments of a batch of 2 are refused in device memory for a batch of 1."""
    prepared, runner = fixture.convolution(dimensions=UNKNOWN_BATCH), fixture.runner
    first, token = fixture.memory(prepared, (0,), dimensions=SHAPE)
    _second, output_token = fixture.memory(prepared, (), (0,), dimensions=SHAPE)
    write(first, fixture.data())
    both = runner.shared(fixture.data(batch=2), OTHER_BATCH)
    output = runner.output(2 * fixture.size, OTHER_BATCH)
    runner.expect(_INVALID, "buffer/dimensions", prepared, [runner.device(token, OTHER_BATCH)], [output])
    runner.expect(_INVALID, "buffer/dimensions", prepared, [both], [runner.device(output_token, OTHER_BATCH)])
    runner.expect(_FAILED, "buffer/output", prepared, [both], [runner.device(output_token)])
