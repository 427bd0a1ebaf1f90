"""Every executor of a prepared model as one kind of function, here and behind the wire."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nnvet.adapters.calls import ExecutionRecorder, prepare
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import FencedExecutionResult, PreparedModel
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.types import (
    NO_DEADLINE,
    Ashmem,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    Model,
    OutputShape,
    Request,
    RequestArgument,
)
from tests.transport.wire_sessions import session_with

PATIENCE_S = 30.0
PLAIN = ExecutionConfig()
NOTHING = RequestArgument(has_no_value=True)
OUTPUT_AT = 64

Answer = tuple[ErrorStatus, tuple[OutputShape, ...]]
"""End of an execution, if the driver did not fail: NONE or OUTPUT_INSUFFICIENT_SIZE, and shapes."""
Execute = Callable[[PreparedModel, Request], Answer]


def _answer(result: ExecutionResult) -> Answer:
    status = ErrorStatus.NONE if result.output_sufficient_size else ErrorStatus.OUTPUT_INSUFFICIENT_SIZE
    return status, result.output_shapes


def _fenced(result: FencedExecutionResult) -> Answer:
    """The answer to a fenced execution, which reports no shapes."""
    assert result.sync_fence is None
    return result.callback.get_execution_info()[0], ()


def _asynchronous(prepared: PreparedModel, request: Request) -> Answer:
    callback = ExecutionRecorder()
    prepared.execute(request, PLAIN, NO_DEADLINE, callback)
    assert callback.wait(PATIENCE_S)
    ((status, shapes, _),) = callback.notifications
    if status in (ErrorStatus.NONE, ErrorStatus.OUTPUT_INSUFFICIENT_SIZE):
        return status, shapes
    assert shapes == ()
    raise callback.make_error("execute")


def _burst(prepared: PreparedModel, request: Request, token: int) -> Answer:
    burst = prepared.configure_execution_burst()
    return _answer(burst.execute_synchronously(request, (token,) * len(request.pools), PLAIN, NO_DEADLINE))


EXECUTORS: dict[str, Execute] = {
    "synchronous": lambda m, r: _answer(m.execute_synchronously(r, PLAIN, NO_DEADLINE)),
    "asynchronous": _asynchronous,
    "burst": lambda m, r: _burst(m, r, 1),
    "burst without memory kept": lambda m, r: _burst(m, r, -1),
    "reusable": lambda m, r: _answer(m.create_reusable_execution(r, PLAIN).execute_synchronously(NO_DEADLINE)),
}
"""Those that report shapes."""
FENCED: dict[str, Execute] = {
    "fenced": lambda m, r: _fenced(m.execute_fenced(r, (), PLAIN, NO_DEADLINE, NO_DEADLINE)),
    "reusable fenced": lambda m, r: _fenced(
        m.create_reusable_execution(r, PLAIN).execute_fenced((), NO_DEADLINE, NO_DEADLINE)
    ),
}
"""Those that want all dimensions of outputs to be known."""


@contextmanager
def here(device: BaseDevice, model: Model) -> Iterator[PreparedModel]:
    """The driver's own prepared model."""
    yield prepare(device, model)


@contextmanager
def behind_the_wire(device: BaseDevice, model: Model) -> Iterator[PreparedModel]:
    """The prepared model of a service."""
    with session_with(device) as session:
        yield prepare(session.device, model)


PLACES = (here, behind_the_wire)


@contextmanager
def pool_of(*inputs: bytes) -> Iterator[tuple[Ashmem, list[RequestArgument]]]:
    """A pool that begins with ``inputs``, one after the other, and the arguments that they are; the rest is 0xEE."""
    pool = create_ashmem(2 * OUTPUT_AT)
    arguments, offset = [], 0
    with mapped(pool) as view:
        view[:] = b"\xee" * (2 * OUTPUT_AT)
        for value in inputs:
            view[offset : offset + len(value)] = value
            arguments.append(RequestArgument(location=DataLocation(0, offset, len(value))))
            offset += len(value)
    assert offset <= OUTPUT_AT
    yield pool, arguments
    close(pool)


def output_of(length: int, at: int = OUTPUT_AT) -> RequestArgument:
    """An output of the pool."""
    return RequestArgument(location=DataLocation(0, at, length))


def written(pool: Ashmem) -> bytes:
    """Return the content of the pool from OUTPUT_AT on."""
    with mapped(pool) as view:
        return bytes(view[OUTPUT_AT:])


def failure_of(execute: Execute, prepared: PreparedModel, request: Request) -> HalError:
    """The error that an execution ends with."""
    try:
        answer = execute(prepared, request)
    except HalError as error:
        return error
    raise AssertionError(answer)
