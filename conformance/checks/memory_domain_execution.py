"""MemoryDomainExecutionTest: device memory in requests. Source: VTS catalogue, 6.4; CTS catalogue, 2.7 and 4.4.

The models copy each input to its output, so that unlike in VTS values can be told and are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from msgspec.structs import replace

from conformance.checks import check
from conformance.harness.device_copies import FAILED, Copies
from conformance.harness.device_memory import read, write
from conformance.harness.memory_domain import (
    LEVEL,
    OTHER_BATCH,
    ROLE,
    SIZES,
    TYPES,
    UNKNOWN_BATCH,
    Bench,
    bench,
    convolution,
    data,
    device_memory,
    fresh,
    sum_of_two,
)
from conformance.harness.outcome import fail
from conformance.harness.subject import Subject
from conformance.harness.ways import Executor
from generators.memory_domain_models import SHAPE, convolutions
from hal.enums import ErrorStatus
from hal.interfaces import Buffer, PreparedModel
from hal.types import BufferRole, DataLocation, OperandType, RequestArgument

_SUITE: Final = "MemoryDomainExecutionTest"
_NONE, _INVALID, _FAILED = ErrorStatus.NONE, ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE
_UNKNOWN_TOKENS: Final = (0, 100, -1, 2**31 - 1)
_BAD_ACTIVATION: Final = 999


@dataclass(frozen=True)
class Scene:
    """One case: a type of data and a way of executing."""

    subject: Subject
    type: OperandType
    bench: Bench

    @property
    def size(self) -> int:
        """Bytes of the data."""
        return SIZES[self.type]

    def data(self, seed: int = 0, batch: int = 1) -> bytes:
        """Data of the type."""
        return data(self.type, seed, batch)

    def convolution(self, count: int = 1, dimensions: tuple[int, ...] = SHAPE) -> PreparedModel:
        """Copies each of its inputs to an output."""
        return convolution(self.subject, self.type, count, dimensions=dimensions)

    def memory(
        self,
        prepared: PreparedModel,
        inputs: Sequence[int] = (),
        outputs: Sequence[int] = (),
        dimensions: tuple[int, ...] = (),
    ) -> tuple[Buffer, int]:
        """Device memory for some inputs and outputs of a model, with its token."""
        wanted = [[BufferRole(0, index) for index in indexes] for indexes in (inputs, outputs)]
        return device_memory(self.subject, (prepared,), *wanted, dimensions=dimensions)

    def shared(self, seed: int = 0) -> RequestArgument:
        """An input in shared memory."""
        return self.bench.shared(self.data(seed))

    def room(self) -> RequestArgument:
        """An output in shared memory."""
        return self.bench.room(self.size)

    def check(self, output: RequestArgument, seed: int = 0) -> None:
        """An output in shared memory must be what the input with the same seed was.

        :raises CaseFailed: it is not.
        """
        if self.bench.content(output) != self.data(seed):
            raise fail("buffer/content", "the execution does not yield what its input held")


Body = Callable[[Scene], None]


def _check(name: str, *rules: str, without: tuple[Executor, ...] = ()) -> Callable[[Body], Body]:
    """Register a check that runs for each type and executor."""
    parameters = {
        f"{operand_type.name}_{executor.value}": (operand_type, executor)
        for operand_type, executor in product(TYPES, Executor)
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


@_check("InvalidToken", "buffer/token")
def invalid_token(scene: Scene) -> None:
    """A token that no buffer has, for an input and for an output."""
    prepared, bench = scene.convolution(), scene.bench
    for token in _UNKNOWN_TOKENS:
        bench.expect(_INVALID, "buffer/token", prepared, [bench.device(token)], [scene.room()])
        bench.expect(_INVALID, "buffer/token", prepared, [scene.shared()], [bench.device(token)])


@_check("ReleasedToken", "buffer/released")
def released_token(scene: Scene) -> None:
    """The token of a buffer that is not there any more; not in VTS."""
    prepared, bench = scene.convolution(), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    write(buffer, scene.data())
    bench.expect(_NONE, "execution/status", prepared, [bench.device(token)], [scene.room()])
    del buffer
    bench.expect(_INVALID, "buffer/released", prepared, [bench.device(token)], [scene.room()])
    bench.expect(_INVALID, "buffer/released", prepared, [scene.shared()], [bench.device(token)])


@_check("InvalidPreparedModel", "buffer/role")
def invalid_prepared_model(scene: Scene) -> None:
    """Buffers of one model used with another one that was made of the same model."""
    prepared, bench = scene.convolution(), scene.bench
    other = fresh(scene.subject, convolutions(scene.type))
    (first, token), (_second, output_token) = scene.memory(prepared, (0,)), scene.memory(prepared, (), (0,))
    write(first, scene.data())
    bench.expect(_INVALID, "buffer/role", other, [bench.device(token)], [scene.room()])
    bench.expect(_INVALID, "buffer/role", other, [scene.shared()], [bench.device(output_token)])


@_check("InvalidIOIndex", "buffer/role")
def invalid_io_index(scene: Scene) -> None:
    """Buffers of input 0 and of output 0, used as input 1 and as output 1."""
    prepared, bench = scene.convolution(2), scene.bench
    (first, token), (_second, output_token) = scene.memory(prepared, (0,)), scene.memory(prepared, (), (0,))
    write(first, scene.data())
    shared, rooms = [scene.shared(), scene.shared()], [scene.room(), scene.room()]
    bench.expect(_INVALID, "buffer/role", prepared, [shared[0], bench.device(token)], rooms)
    bench.expect(_INVALID, "buffer/role", prepared, shared, [rooms[0], bench.device(output_token)])


@_check("InvalidIOType", "buffer/role")
def invalid_io_type(scene: Scene) -> None:
    """A buffer of an input used as an output, and the other way round."""
    prepared, bench = scene.convolution(), scene.bench
    (_first, token), (_second, output_token) = scene.memory(prepared, (0,)), scene.memory(prepared, (), (0,))
    bench.expect(_INVALID, "buffer/role", prepared, [scene.shared()], [bench.device(token)])
    bench.expect(_NONE, "execution/status", prepared, [scene.shared()], [bench.device(output_token)])
    bench.expect(_INVALID, "buffer/role", prepared, [bench.device(output_token)], [scene.room()])


@_check("InvalidLocation", "request/pool.bounds")
def invalid_location(scene: Scene) -> None:
    """An offset or a length within device memory, which has no addresses; CTS has it, VTS has not."""
    prepared, bench = scene.convolution(), scene.bench
    buffer, token = scene.memory(prepared, (0,), (0,))
    write(buffer, scene.data())
    for place in (DataLocation(offset=4), DataLocation(length=scene.size), DataLocation(padding=4)):
        argument = bench.device(token)
        moved = replace(argument, location=replace(place, pool_index=argument.location.pool_index))
        bench.expect(_INVALID, "request/pool.bounds", prepared, [moved], [scene.room()])
        bench.expect(_INVALID, "request/pool.bounds", prepared, [scene.shared()], [moved])


@_check("UninitializedMemory", "buffer/uninitialised", "buffer/content")
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


@_check("SameRequestMultipleRoles", "buffer/exclusive", "buffer/content")
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


@_check("InvalidDimensions", "buffer/dimensions", "buffer/output", without=(Executor.FENCED,))
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


@_check("ShapeOfLastExecution", "buffer/dimensions", "buffer/content", "buffer/copy.size")
def shape_of_last_execution(scene: Scene) -> None:
    """Device memory of unknown batch has that of the execution which wrote it last; not in VTS."""
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


@_check("FailedExecution", "buffer/failed", "execution/expected_failure")
def failed_execution(scene: Scene) -> None:
    """An execution that fails leaves no content in its output, whatever there was; CTS has it, VTS has not."""
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


@_check("OutputTooLarge", "buffer/failed", without=(Executor.FENCED,))
def output_too_large(scene: Scene) -> None:
    """An output that does not fit leaves no content either; not in VTS."""
    prepared, bench = scene.convolution(dimensions=UNKNOWN_BATCH), scene.bench
    buffer, token = scene.memory(prepared, (), (0,), dimensions=SHAPE)
    write(buffer, scene.data())
    both = bench.shared(scene.data(batch=2), OTHER_BATCH)
    bench.expect(_FAILED, "buffer/output", prepared, [both], [bench.device(token)])
    Copies(buffer, scene.data()).refuses_to("buffer/failed", scene.size, FAILED)


@_check("Chain", "buffer/content")
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


@_check("ContentChanges", "buffer/content")
def content_changes(scene: Scene) -> None:
    """An open burst or reusable execution sees what its device memory holds now; not in VTS."""
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
