"""Device memory (buffers that the driver allocates): allocate, fill and read it, and judge every answer.

Checks of memory call :func:`allocate`, :func:`write` and :func:`read`. :mod:`nnvet.conformance.kit.executing` uses
:class:`DeviceArguments` for tests whose arguments lie in device memory. Memory that the client allocates is made by
:mod:`nnvet.graphs.hal_model`.

Source: docs/contract/vts-tests.md 6.1, 7.4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.conformance.kit.outcome import CaseFailed, fail, unsupported
from nnvet.graphs.hal_model import MakePool, PackedRequest, create_pool, operand_data
from nnvet.graphs.model import Array, TestModel, TestOperand, element_type
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import UNINTENDED, HalError
from nnvet.hal.interfaces import Buffer, Device, PreparedModel
from nnvet.hal.memory import close, mapped
from nnvet.hal.types import BufferDesc, BufferRole, BufferToken, DataLocation, Request, RequestArgument


def allocate(
    device: Device,
    prepared_models: Sequence[PreparedModel],
    inputs: Sequence[BufferRole] = (),
    outputs: Sequence[BufferRole] = (),
    dimensions: Sequence[int] = (),
) -> tuple[Buffer, int] | None:
    """Allocate device memory for valid roles, and return it with its token; None if the driver has none.

    :raises CaseFailed: the answer is neither memory nor GENERAL_FAILURE.
    """
    try:
        buffer, token = device.allocate(BufferDesc(tuple(dimensions)), prepared_models, inputs, outputs)
    except HalError as error:
        if error.rule in UNINTENDED:
            raise fail(error.rule, f"an allocation with valid roles is not answered: {error}") from error
        if error.status is not ErrorStatus.GENERAL_FAILURE:
            raise fail("allocate/supported", f"an allocation with valid roles fails: {error}") from error
        return None
    if buffer is None or token <= 0:
        raise fail("allocate/answer", f"an allocation succeeds with buffer {buffer!r} and token {token}")
    return buffer, token


def write(buffer: Buffer, data: bytes, dimensions: Sequence[int] = (), make: MakePool = create_pool) -> None:
    """Fill device memory from shared memory that ``make`` creates.

    :raises CaseFailed: the copy fails.
    """
    source = make(len(data), ((0, data),))
    try:
        buffer.copy_from(source, dimensions)
    except HalError as error:
        raise _judge_failure(f"copyFrom of {len(data)} bytes", error) from error
    finally:
        close(source)


def read(buffer: Buffer, size: int, make: MakePool = create_pool) -> bytes:
    """Return the ``size`` bytes in device memory, by way of shared memory that ``make`` creates.

    :raises CaseFailed: the copy fails.
    """
    destination = make(size, ())
    try:
        buffer.copy_to(destination)
        with mapped(destination, writable=False) as view:
            return bytes(view)
    except HalError as error:
        raise _judge_failure(f"copyTo of {size} bytes", error) from error
    finally:
        close(destination)


def _judge_failure(copy: str, error: HalError) -> CaseFailed:
    """Return the outcome of a failed copy that should succeed: FAIL, or UNSUPPORTED if an adapter cannot express it."""
    if error.rule == INEXPRESSIBLE:
        return unsupported(f"{copy}: {error.message}", INEXPRESSIBLE)
    return fail("buffer/copy", f"{copy} fails: {error}")


class DeviceArguments:
    """A packed request with its inputs and outputs in device memory, except those for which the driver has none.

    Device memory stays allocated for as long as the object lives.
    """

    def __init__(self, packed: PackedRequest, test: TestModel, device: Device, prepared: PreparedModel) -> None:
        """Allocate one buffer for each argument and fill those of inputs.

        :raises CaseFailed: an allocation or copy fails that must not, or the driver has no device memory at all.
        """
        self._packed = packed
        self._buffers: list[Buffer] = []
        self._tokens: list[BufferToken] = []
        self._outputs: dict[int, Buffer] = {}
        inputs, outputs = list(packed.request.inputs), list(packed.request.outputs)
        # An argument without bytes is omitted, or the execution finds its shape: device memory suits neither.
        for index, operand in enumerate(test.main.inputs):
            data = operand_data(operand).tobytes()
            if data:
                buffer = self._place(inputs, index, allocate(device, (prepared,), (BufferRole(0, index),)))
                if buffer is not None:
                    write(buffer, data)
        for index, operand in enumerate(test.main.outputs):
            if operand_data(operand).size:
                buffer = self._place(outputs, index, allocate(device, (prepared,), (), (BufferRole(0, index),)))
                if buffer is not None:
                    self._outputs[index] = buffer
        if not self._buffers:
            raise unsupported("the driver has no device memory for any argument")
        self.request = Request(tuple(inputs), tuple(outputs), (*packed.request.pools, *self._tokens))

    def output_arrays(self, outputs: Sequence[TestOperand]) -> list[Array]:
        """Return the outputs like ``PackedRequest.output_arrays``; those in device memory are copied out of it."""
        arrays = self._packed.output_arrays(outputs)
        for index, buffer in self._outputs.items():
            operand = outputs[index]
            data = read(buffer, operand_data(operand).nbytes)
            arrays[index] = np.frombuffer(data, element_type(operand.type))
        return arrays

    def _place(
        self, arguments: list[RequestArgument], index: int, allocated: tuple[Buffer, int] | None
    ) -> Buffer | None:
        """Make an argument refer to allocated device memory, and return the buffer; None changes nothing."""
        if allocated is None:
            return None
        buffer, token = allocated
        pool_index = len(self._packed.request.pools) + len(self._tokens)
        arguments[index] = replace(arguments[index], location=DataLocation(pool_index))
        self._buffers.append(buffer)
        self._tokens.append(BufferToken(token))
        return buffer
