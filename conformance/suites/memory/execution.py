"""MemoryDomainExecutionTest: device memory in requests. Source: docs/contract/vts-tests.md 6.4.

The models copy each input to its output, so that unlike in VTS values can be told and are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from nnvet.conformance.engine.checks import check
from nnvet.conformance.engine.config import Executor
from nnvet.conformance.engine.device_memory import read, write
from nnvet.conformance.engine.outcome import fail
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.suites.memory.bench import bench
from nnvet.conformance.suites.memory.domain import LEVEL, OTHER_BATCH, TYPES, UNKNOWN_BATCH, Scene, fresh
from nnvet.conformance.suites.memory.models import SHAPE, convolutions
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.types import OperandType

_SUITE: Final = "MemoryDomainExecutionTest"
_NONE, _INVALID, _FAILED = ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE
_UNKNOWN_TOKENS: Final = (0, 100, -1, 2**31 - 1)

Body = Callable[[Scene], None]


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
            with bench(subject, executor) as made:
                body(Scene(subject, operand_type, made))

        return body

    return register


@execution_check("InvalidToken", "buffer/token")
def invalid_token(scene: Scene) -> None:
    """A token that no buffer has, for an input and for an output."""
    prepared, bench = scene.convolution(), scene.bench
    for token in _UNKNOWN_TOKENS:
        bench.expect(_INVALID, "buffer/token", prepared, [bench.device(token)], [scene.room()])
        bench.expect(_INVALID, "buffer/token", prepared, [scene.shared()], [bench.device(token)])
    scene.check_device_memory(prepared)


@execution_check("InvalidPreparedModel", "buffer/role")
def invalid_prepared_model(scene: Scene) -> None:
    """Buffers of one model used with another one that was made of the same model."""
    prepared, bench = scene.convolution(), scene.bench
    other = fresh(scene.subject, convolutions(scene.type))
    (first, token), (_second, output_token) = scene.memory(prepared, (0,)), scene.memory(prepared, (), (0,))
    write(first, scene.data())
    bench.expect(_INVALID, "buffer/role", other, [bench.device(token)], [scene.room()])
    bench.expect(_INVALID, "buffer/role", other, [scene.shared()], [bench.device(output_token)])
    scene.check_device_memory(other)


@execution_check("InvalidIOIndex", "buffer/role")
def invalid_io_index(scene: Scene) -> None:
    """Buffers of input 0 and of output 0, used as input 1 and as output 1."""
    prepared, bench = scene.convolution(2), scene.bench
    (first, token), (_second, output_token) = scene.memory(prepared, (0,)), scene.memory(prepared, (), (0,))
    write(first, scene.data())
    shared, rooms = [scene.shared(), scene.shared()], [scene.room(), scene.room()]
    bench.expect(_INVALID, "buffer/role", prepared, [shared[0], bench.device(token)], rooms)
    bench.expect(_INVALID, "buffer/role", prepared, shared, [rooms[0], bench.device(output_token)])
    bench.expect(_NONE, "execution/status", prepared, [bench.device(token), shared[1]], rooms)
    bench.expect(_NONE, "execution/status", prepared, shared, [bench.device(output_token), rooms[1]])


@execution_check("InvalidIOType", "buffer/role")
def invalid_io_type(scene: Scene) -> None:
    """A buffer of an input used as an output, and the other way round."""
    prepared, bench = scene.convolution(), scene.bench
    (_first, token), (_second, output_token) = scene.memory(prepared, (0,)), scene.memory(prepared, (), (0,))
    bench.expect(_INVALID, "buffer/role", prepared, [scene.shared()], [bench.device(token)])
    bench.expect(_NONE, "execution/status", prepared, [scene.shared()], [bench.device(output_token)])
    bench.expect(_INVALID, "buffer/role", prepared, [bench.device(output_token)], [scene.room()])


@execution_check("UninitializedMemory", "buffer/uninitialised", "buffer/content")
def uninitialized_memory(scene: Scene) -> None:
    """Fresh device memory cannot be an input, can be an output, and then can be an input."""
    prepared, bench = scene.convolution(), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    output = scene.room()
    bench.expect(_FAILED, "buffer/uninitialised", prepared, [bench.device(token)], [output])
    bench.expect(_NONE, "execution/status", prepared, [scene.shared()], [bench.device(token)])
    bench.expect(_NONE, "execution/status", prepared, [bench.device(token)], [output])
    scene.check(output)
    if read(buffer, scene.size) != scene.data():
        raise fail("buffer/content", "copyTo does not yield what an execution has written")


@execution_check("SameRequestMultipleRoles", "buffer/exclusive", "buffer/content")
def same_request_multiple_roles(scene: Scene) -> None:
    """One buffer cannot be an input and an output, nor two outputs, by one pool or by two; but it can be two inputs."""
    prepared, bench = scene.convolution(2), scene.bench
    buffer, token = scene.memory(prepared, (0, 1), (0, 1))
    shared, rooms = [scene.shared(), scene.shared()], [scene.room(), scene.room()]
    one = bench.device(token)
    for other in (one, bench.device(token)):
        write(buffer, scene.data())
        bench.expect(_INVALID, "buffer/exclusive", prepared, [one, shared[1]], [other, rooms[1]])
        bench.expect(_INVALID, "buffer/exclusive", prepared, shared, [one, other])
        write(buffer, scene.data(seed=1))
        bench.expect(_NONE, "execution/status", prepared, [one, other], rooms)
        scene.check(rooms[0], seed=1)
        scene.check(rooms[1], seed=1)


@execution_check("InvalidDimensions", "buffer/dimensions", "buffer/output", without=(Executor.FENCED,))
def invalid_dimensions(scene: Scene) -> None:
    """Arguments of a batch of 2 in device memory for a batch of 1; behind fences outputs must be known anyway."""
    prepared, bench = scene.convolution(dimensions=UNKNOWN_BATCH), scene.bench
    first, token = scene.memory(prepared, (0,), dimensions=SHAPE)
    _second, output_token = scene.memory(prepared, (), (0,), dimensions=SHAPE)
    write(first, scene.data())
    both = bench.shared(scene.data(batch=2), OTHER_BATCH)
    room = bench.room(2 * scene.size, OTHER_BATCH)
    bench.expect(_INVALID, "buffer/dimensions", prepared, [bench.device(token, OTHER_BATCH)], [room])
    bench.expect(_INVALID, "buffer/dimensions", prepared, [both], [bench.device(output_token, OTHER_BATCH)])
    bench.expect(_FAILED, "buffer/output", prepared, [both], [bench.device(output_token)])
