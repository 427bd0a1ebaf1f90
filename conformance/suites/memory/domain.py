"""Common parts of the checks of device memory: models, their preparation, data, copies, and a fixture of cases.

Checks prepare a model with :func:`prepare_convolution`, allocate with :func:`allocate_memory`, and copy with
:class:`Copies`; :class:`Fixture` adds an executor. Requests are built by
:mod:`nnvet.conformance.suites.memory.request_runner`. The filter of each convolution is the identity, so its output
equals its input, bit by bit. Source: docs/contract/vts-tests.md 6.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from nnvet.conformance.kit.device_memory import allocate, read, write
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.suites.memory.request_runner import RequestRunner
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.hal_model import create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, PreparedModel
from nnvet.hal.memory import close
from nnvet.hal.operand_types import OPERAND_TYPES, type_info

SHAPE: Final = (1, 32, 32, 8)
"""Dimensions of all data."""

SCALE: Final = 0.5
"""Scale of quantised data; the zero point is 0."""

_WINDOW: Final = 3
"""Height and width of the filters."""
_PADDING_SAME: Final = 1
"""Padding scheme with which the output is as large as the image."""
_STRIDE: Final = 1
"""Steps of the window in both directions."""
_NO_ACTIVATION: Final = 0
"""Code of an operation without a fused activation."""


def convolutions(
    operand_type: hal.OperandType,
    count: int = 1,
    dimensions: tuple[int, ...] = SHAPE,
    scale: float = SCALE,
    zero_point: int = 0,
) -> TestModel:
    """Return a model of ``count`` convolutions side by side, each with its own input and output."""
    graph, depth = GraphBuilder(), dimensions[-1]
    pick = np.zeros((depth, _WINDOW, _WINDOW, depth))
    pick[np.arange(depth), _WINDOW // 2, _WINDOW // 2, np.arange(depth)] = 1
    unit = 0.0
    bias_type, quantization = operand_type, (0.0, 0)
    if OPERAND_TYPES[operand_type].is_quantized:
        unit, bias_type, quantization = 1.0, hal.OperandType.TENSOR_INT32, (scale, zero_point)
    for _ in range(count):
        inputs = (
            graph.input(operand_type, dimensions, None, *quantization),
            graph.constant(operand_type, pick.shape, pick, unit),
            graph.constant(bias_type, (depth,), np.zeros(depth), unit * scale),
            *(
                graph.scalar(hal.OperandType.INT32, value)
                for value in (_PADDING_SAME, _STRIDE, _STRIDE, _NO_ACTIVATION)
            ),
        )
        output = graph.output(operand_type, dimensions, None, *quantization)
        graph.operation(hal.OperationType.CONV_2D, inputs, output)
    return graph.finish(f"convolutions_{count}")


def addition(operand_type: hal.OperandType, dimensions: tuple[int, ...] = SHAPE) -> TestModel:
    """Return a model of the sum of inputs 0 and 1; input 2 is the activation."""
    graph = GraphBuilder()
    scale = SCALE if OPERAND_TYPES[operand_type].is_quantized else 0.0
    inputs = [graph.input(operand_type, dimensions, None, scale) for _ in range(2)]
    inputs.append(graph.input(hal.OperandType.INT32, (), None))
    output = graph.output(operand_type, dimensions, None, scale)
    graph.operation(hal.OperationType.ADD, tuple(inputs), output)
    return graph.finish("addition")


def dequantization(scales: tuple[float, ...]) -> TestModel:
    """Return a model of a DEQUANTIZE of a matrix with a scale for each of its rows."""
    graph, dimensions = GraphBuilder(), (len(scales), 1)
    rows = graph.input_by_channel(dimensions, None, hal.SymmPerChannelQuantParams(scales, 0))
    graph.operation(
        hal.OperationType.DEQUANTIZE, (rows,), graph.output(hal.OperandType.TENSOR_FLOAT32, dimensions, None)
    )
    return graph.finish("dequantization")


LEVEL: Final = 4
"""The first feature level with device memory."""

TYPES: Final = (
    hal.OperandType.TENSOR_FLOAT32,
    hal.OperandType.TENSOR_FLOAT16,
    hal.OperandType.TENSOR_QUANT8_ASYMM,
    hal.OperandType.TENSOR_QUANT8_ASYMM_SIGNED,
)
"""Types of the data, as in VTS."""
SIZES: Final = {operand_type: type_info(operand_type).size * int(np.prod(SHAPE)) for operand_type in TYPES}
"""Size of the data in bytes, by type."""

UNKNOWN_BATCH: Final = (0, *SHAPE[1:])
"""The dimensions of the data with an unknown batch."""
OTHER_BATCH: Final = (2, *SHAPE[1:])
"""The dimensions of data of twice the size."""

ROLE: Final = (hal.BufferRole(0, 0),)
"""Role of the first input or output of the first model."""


def by_type() -> dict[str, hal.OperandType]:
    """Return the parameters of a check that runs for each type."""
    return {operand_type.name: operand_type for operand_type in TYPES}


def prepare_convolution(subject: Subject, operand_type: hal.OperandType, count: int = 1, **form: Any) -> PreparedModel:
    """Prepare :func:`convolutions`, once for all cases with the same arguments; ``form`` is passed on."""
    key = ("convolutions", operand_type, count, *form.items())
    return _prepare_once(subject, key, lambda: convolutions(operand_type, count, **form))


def prepare_sum(subject: Subject, operand_type: hal.OperandType, dimensions: tuple[int, ...] = SHAPE) -> PreparedModel:
    """Prepare :func:`addition`, once for all cases with the same arguments."""
    return _prepare_once(subject, ("addition", operand_type, dimensions), lambda: addition(operand_type, dimensions))


def prepare_own(subject: Subject, test: TestModel) -> PreparedModel:
    """Prepare a model that no other case shares.

    :raises CaseFailed: it cannot be prepared; UNSUPPORTED if the driver does not support its operations.
    """
    with built_model(test, subject.feature_level) as model:
        return prepare_valid(subject, model)


def _prepare_once(subject: Subject, key: tuple[Any, ...], make: Callable[[], TestModel]) -> PreparedModel:
    """Return the prepared model of a key, which the first case with that key prepares."""
    known = ("memory domain", *key)
    if known not in subject.shared:
        subject.shared[known] = prepare_own(subject, make())
    prepared: PreparedModel = subject.shared[known]
    return prepared


def allocate_memory(
    subject: Subject,
    models: Sequence[PreparedModel],
    inputs: Sequence[hal.BufferRole] = (),
    outputs: Sequence[hal.BufferRole] = (),
    dimensions: Sequence[int] = (),
) -> tuple[Buffer, int]:
    """Allocate device memory for valid roles, and return it with its token.

    :raises CaseFailed: UNSUPPORTED if the driver has none; or its answer is invalid.
    """
    allocated = allocate(subject.device, models, inputs, outputs, dimensions)
    if allocated is None:
        raise unsupported("the driver has no device memory for these roles", "allocate/supported")
    return allocated


def data(operand_type: hal.OperandType, seed: int = 0, batch: int = 1) -> bytes:
    """Return values that are exact in a type; other seeds give other values."""
    count = batch * int(np.prod(SHAPE))
    values = (np.arange(count) * 7 + seed * 13) % 101
    return values.astype(type_info(operand_type).dtype).tobytes()


@dataclass(frozen=True)
class Fixture:
    """Things that a case executes with: the driver, a type of data, and a runner of requests for one executor."""

    subject: Subject
    type: hal.OperandType
    runner: RequestRunner

    @property
    def size(self) -> int:
        """Return the size in bytes of a tensor of the type with the dimensions SHAPE."""
        return SIZES[self.type]

    def data(self, seed: int = 0, batch: int = 1) -> bytes:
        """Return the bytes of ``batch`` such tensors, exact in the type; another seed gives other values."""
        return data(self.type, seed, batch)

    def convolution(self, count: int = 1, dimensions: tuple[int, ...] = SHAPE) -> PreparedModel:
        """Prepare a model that copies each of its inputs to an output."""
        return prepare_convolution(self.subject, self.type, count, dimensions=dimensions)

    def memory(
        self,
        prepared: PreparedModel,
        inputs: Sequence[int] = (),
        outputs: Sequence[int] = (),
        dimensions: tuple[int, ...] = (),
    ) -> tuple[Buffer, int]:
        """Allocate device memory for inputs and outputs of a model, and return it with its token."""
        first, second = ([hal.BufferRole(0, index) for index in indexes] for indexes in (inputs, outputs))
        return allocate_memory(self.subject, (prepared,), first, second, dimensions)

    def shared(self, seed: int = 0) -> hal.RequestArgument:
        """Return an input in shared memory."""
        return self.runner.shared(self.data(seed))

    def output(self) -> hal.RequestArgument:
        """Return an output in shared memory."""
        return self.runner.output(self.size)

    def check_device_memory(self, prepared: PreparedModel) -> None:
        """Check that device memory works as input and output of a convolution, so that refusals count.

        :raises CaseFailed: the driver does not accept it; UNSUPPORTED if it has no device memory.
        """
        (buffer, token), (result, output_token) = self.memory(prepared, (0,)), self.memory(prepared, (), (0,))
        write(buffer, self.data())
        arguments = [self.runner.device(token)], [self.runner.device(output_token)]
        self.runner.expect(hal.ErrorStatus.NONE, "execution/status", prepared, *arguments)
        if read(result, self.size) != self.data():
            raise fail("buffer/content", "the execution does not yield what its input held")

    def check(self, output: hal.RequestArgument, seed: int = 0) -> None:
        """Check that an output in shared memory equals the input with the same seed.

        :raises CaseFailed: it does not.
        """
        if self.runner.content(output) != self.data(seed):
            raise fail("buffer/content", "the execution does not yield what its input held")


INVALID: Final = (hal.ErrorStatus.INVALID_ARGUMENT,)
"""Status of wrong arguments of a copy."""
FAILED: Final = (hal.ErrorStatus.GENERAL_FAILURE,)
"""Status of a copy that fails although its arguments are right."""


@contextmanager
def closing(memory: hal.Memory) -> Iterator[hal.Memory]:
    """Yield the memory, and close it after the block."""
    try:
        yield memory
    finally:
        close(memory)


@dataclass(frozen=True)
class Copies:
    """Device memory of a known size, with the content for it."""

    buffer: Buffer
    content: bytes

    @property
    def size(self) -> int:
        """Return the size of the content in bytes, and so of the shared memory for copies."""
        return len(self.content)

    def fill(self, dimensions: Sequence[int] = ()) -> None:
        """Copy the content into the device memory.

        :raises CaseFailed: the copy fails.
        """
        write(self.buffer, self.content, dimensions)

    def check(self) -> None:
        """Check that the device memory has the content.

        :raises CaseFailed: it has not.
        """
        if read(self.buffer, self.size) != self.content:
            raise fail("buffer/content", "the device memory does not hold what was copied to it")

    def check_refused_from(
        self,
        rule: str,
        size: int,
        dimensions: Sequence[int] = (),
        statuses: Sequence[hal.ErrorStatus] = INVALID,
    ) -> None:
        """Check that copying from ``size`` bytes fails with an allowed status.

        :raises CaseFailed: with ``rule``, if it does not.
        """
        source = (self.content * -(-size // self.size))[:size]
        what = f"copyFrom of {size} bytes with dimensions {list(dimensions)}"
        with closing(create_pool(size, ((0, source),))) as memory:
            check_fails(lambda: self.buffer.copy_from(memory, dimensions), rule, what, statuses)

    def check_refused_to(self, rule: str, size: int, statuses: Sequence[hal.ErrorStatus] = INVALID) -> None:
        """Check that copying to ``size`` bytes fails with an allowed status.

        :raises CaseFailed: with ``rule``, if it does not.
        """
        with closing(create_pool(size, ())) as memory:
            check_fails(lambda: self.buffer.copy_to(memory), rule, f"copyTo of {size} bytes", statuses)


def check_fails(copy: Callable[[], None], rule: str, what: str, statuses: Sequence[hal.ErrorStatus]) -> None:
    """Check that a copy fails with an allowed status.

    :raises CaseFailed: with ``rule``, if it does not.
    """
    expected = " or ".join(status.name for status in statuses)
    try:
        copy()
    except HalError as error:
        if error.status not in statuses:
            reason = f"{what}: {error}, expected {expected}"
            raise fail(rule, reason, status=error.status.name, driver_rule=error.rule) from error
    else:
        raise fail(rule, f"{what} succeeds, expected {expected}")
