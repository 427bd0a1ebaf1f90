"""Models that the checks of compilation caching save, and their results.

Checks call :func:`chain_network` or :func:`small_network`, which ask first whether the driver supports the model. The
results of a chain, many operations of one type in a row, are known in advance. A small MobileNet has random weights,
which are the same for equal types; its results are compared with those of the same driver without a cache. Files and
tokens are in :mod:`nnvet.conformance.suites.caching.fixtures`. Checks of deadlines and priorities use the models, too,
as work that takes some time.

Source: docs/contract/vts-tests.md 5.1 and 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from nnvet.conformance.kit.executing import Executor, TestConfig, execute
from nnvet.conformance.kit.judging import check_answer
from nnvet.conformance.kit.outcome import fail, unsupported
from nnvet.conformance.kit.preparing import ask_supported, built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import Array, TestModel
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.types import Model, OperandType, OperationType
from nnvet.oracle import compare, tolerance_for

CHAIN_LENGTH: Final = 100
"""Operations of a chain, as in VTS."""
_STEP_CONSTANT: Final = {OperationType.ADD: (1.0, 1), OperationType.MUL: (0.5, 2)}
"""Scale and code of the second operand: the number 1 in the quantised chains."""

_PICTURE: Final = 16
"""Height and width of the input."""
_CLASSES: Final = 10
"""Outputs of the classifier."""
_BLOCKS: Final = ((16, 1), (16, 2), (24, 2))
"""Channels and stride of each depthwise-separable block."""
_SAME: Final = 1
"""Padding scheme with which the output of stride 1 is as large as the image."""
_VALID: Final = 2
"""Padding scheme without padding."""
_RELU6: Final = 3
"""Code of the fused activation; it keeps values in [0, 6], so the scales below can be fixed."""
_SEED: Final = 20
"""Seed of the weights. Any will do; a fixed one gives equal networks in every process."""
_CODES: Final = 255
"""Highest 8-bit code."""
_MIDDLE: Final = 128
"""Zero point of values of both signs."""


def chain(operation: OperationType, operand_type: OperandType, length: int = CHAIN_LENGTH) -> TestModel:
    """Return a chain from the number 1 through ``length`` additions of 1 or multiplications by 1."""
    graph = GraphBuilder()
    is_quantized = OPERAND_TYPES[operand_type].is_quantized
    scale, code = _STEP_CONSTANT[operation] if is_quantized else (0.0, 1)
    unit = 1.0 if is_quantized else 0.0
    activation = graph.scalar(OperandType.INT32, 0)
    value = graph.input(operand_type, (1,), [1], unit)
    result = 1 + length if operation is OperationType.ADD else 1
    for left in reversed(range(length)):
        one = graph.constant(operand_type, (1,), [code], scale)
        output = graph.temporary(operand_type, (1,), unit) if left else graph.output(operand_type, (1,), [result], unit)
        value = graph.operation(operation, (value, one, activation), output)
    return graph.finish(f"{operation.name.lower()}_chain_{operand_type.name.lower()}")


def small_mobilenet(operand_type: OperandType) -> TestModel:
    """Return a convolution, depthwise-separable blocks, a classifier and a softmax.

    The expected outputs are zeros, which no check compares: :func:`small_network` gets the real ones from the driver.
    """
    layers = _Layers(operand_type)
    value = layers.add_convolution(layers.add_picture(), 8, 3, 2)
    for channels, stride in _BLOCKS:
        value = layers.add_convolution(layers.add_depthwise(value, stride), channels, 1, 1)
    layers.add_classifier(layers.add_pool(value))
    return layers.graph.finish(f"small_mobilenet_{operand_type.name.lower()}")


@dataclass(frozen=True)
class _Value:
    """A tensor that is already in the network: index, shape and quantization."""

    index: int
    shape: tuple[int, ...]
    scale: float
    zero_point: int


class _Layers:
    """Builds layers with random weights; scales suit values in [0, 6] and the deviation of the weights."""

    def __init__(self, operand_type: OperandType) -> None:
        self.graph = GraphBuilder()
        self._type = operand_type
        self._is_quantized = OPERAND_TYPES[operand_type].is_quantized
        self._rng = np.random.default_rng(_SEED)

    def add_picture(self) -> _Value:
        """Add the input: noise between -1 and 1."""
        shape, quantization = (1, _PICTURE, _PICTURE, 3), self._quantize(1 / _MIDDLE, _MIDDLE)
        codes = self._rng.integers(0, _CODES + 1, shape)
        data = codes if self._is_quantized else codes / _MIDDLE - 1
        return _Value(self.graph.input(self._type, shape, data, *quantization), shape, *quantization)

    def add_convolution(self, value: _Value, channels: int, size: int, stride: int) -> _Value:
        """Add a convolution with ReLU6."""
        weights = self._add_weights(value, (channels, size, size, value.shape[3]), channels)
        parameters = self._add_scalars(_SAME, stride, stride, _RELU6)
        return self._add_windowed(OperationType.CONV_2D, value, (*weights, *parameters), channels, stride)

    def add_depthwise(self, value: _Value, stride: int) -> _Value:
        """Add a 3 by 3 depthwise convolution with ReLU6."""
        channels = value.shape[3]
        weights = self._add_weights(value, (1, 3, 3, channels), channels)
        parameters = self._add_scalars(_SAME, stride, stride, 1, _RELU6)
        return self._add_windowed(OperationType.DEPTHWISE_CONV_2D, value, (*weights, *parameters), channels, stride)

    def add_pool(self, value: _Value) -> _Value:
        """Add the flat mean over the picture."""
        _, side, _, channels = value.shape
        pooled = self._add_temporary((1, 1, 1, channels), value.scale, value.zero_point)
        parameters = self._add_scalars(_VALID, side, side, side, side, 0)
        self.graph.operation(OperationType.AVERAGE_POOL_2D, (value.index, *parameters), pooled.index)
        flat = self._add_temporary((1, channels), value.scale, value.zero_point)
        shape = self.graph.constant(OperandType.TENSOR_INT32, (2,), [1, channels])
        self.graph.operation(OperationType.RESHAPE, (pooled.index, shape), flat.index)
        return flat

    def add_classifier(self, value: _Value) -> None:
        """Add logits and their softmax."""
        logits = self._add_temporary((1, _CLASSES), *self._quantize(12 / _CODES, _MIDDLE))
        weights = self._add_weights(value, (_CLASSES, value.shape[1]), _CLASSES)
        inputs = (value.index, *weights, *self._add_scalars(0))
        self.graph.operation(OperationType.FULLY_CONNECTED, inputs, logits.index)
        beta = self.graph.scalar(OperandType.FLOAT32, 1.0)
        shape = logits.shape
        output = self.graph.output(self._type, shape, np.zeros(shape), *self._quantize(1 / 256, 0))
        self.graph.operation(OperationType.SOFTMAX, (logits.index, beta), output)

    def _add_windowed(
        self, operation: OperationType, value: _Value, inputs: tuple[int, ...], channels: int, stride: int
    ) -> _Value:
        """Add a convolution of any kind with its output, whose values ReLU6 keeps in [0, 6]."""
        side = -(-value.shape[1] // stride)
        output = self._add_temporary((1, side, side, channels), *self._quantize(6 / _CODES, 0))
        self.graph.operation(operation, (value.index, *inputs), output.index)
        return output

    def _add_weights(self, value: _Value, shape: tuple[int, ...], outputs: int) -> tuple[int, int]:
        """Add weights that keep the magnitude of values, and a bias; return the indices of both."""
        deviation = 1.5 * (outputs / np.prod(shape)) ** 0.5
        weights: Any = self._rng.normal(0, deviation, shape)
        bias: Any = self._rng.normal(0.1, 0.1, outputs)
        constant = self.graph.constant
        if not self._is_quantized:
            return constant(self._type, shape, weights), constant(self._type, (outputs,), bias)
        scale = float(np.float32(6 * deviation / _CODES))
        codes = np.clip(np.rint(weights / scale) + _MIDDLE, 0, _CODES)
        product = float(np.float32(value.scale) * np.float32(scale))
        return (
            constant(self._type, shape, codes, scale, _MIDDLE),
            constant(OperandType.TENSOR_INT32, (outputs,), np.rint(bias / product), product),
        )

    def _add_scalars(self, *values: int) -> tuple[int, ...]:
        """Add constant scalars, and return their indices."""
        return tuple(self.graph.scalar(OperandType.INT32, value) for value in values)

    def _add_temporary(self, shape: tuple[int, ...], scale: float, zero_point: int) -> _Value:
        """Add an intermediate tensor."""
        return _Value(self.graph.temporary(self._type, shape, scale, zero_point), shape, scale, zero_point)

    def _quantize(self, scale: float, zero_point: int) -> tuple[float, int]:
        """Return scale and zero point; both are 0 for float tensors."""
        return (float(np.float32(scale)), zero_point) if self._is_quantized else (0.0, 0)


_CONFIG: Final = TestConfig(Executor.SYNC)
"""Synchronous executions, for all networks."""


@dataclass(frozen=True)
class CachedNetwork:
    """A model to be cached. Its outputs are those of ``test``, or exactly those of ``expected`` if that is given."""

    test: TestModel
    model: Model
    expected: tuple[bytes, ...] = ()

    def outputs(self, subject: Subject, prepared: PreparedModel) -> list[Array]:
        """Return a prepared model's outputs for the inputs.

        :raises CaseFailed: the execution fails, or reports wrong shapes or times.
        """
        with open_request(self.test) as packed:
            answer = execute(prepared, packed.request, _CONFIG, subject.timeout_s)[0]
            if answer.status != ErrorStatus.NONE:
                reason = f"the execution of a model that was prepared fails: {answer.message}"
                raise fail("cache/same_results", reason, status=answer.status.name, driver_rule=answer.rule)
            check_answer(answer, self.test, _CONFIG)
            return packed.output_arrays(self.test.main.outputs)

    def difference(self, outputs: Sequence[Array]) -> str:
        """Return how outputs differ from the expected ones; empty if they do not."""
        if self.expected:
            same = [output.tobytes() for output in outputs] == list(self.expected)
            return "" if same else "outputs differ from those of the model that was prepared without a cache"
        for output, operand in zip(outputs, self.test.main.outputs, strict=True):
            tolerance = tolerance_for(operand.type, relaxed=False)
            mismatch = compare(output, operand.data, tolerance) if tolerance and operand.data is not None else None
            if mismatch is not None:
                return str(mismatch)
        return ""

    def check(self, subject: Subject, prepared: PreparedModel, rule: str = "cache/same_results") -> None:
        """Execute and compare.

        :raises CaseFailed: with ``rule``, if outputs are wrong.
        """
        difference = self.difference(self.outputs(subject, prepared))
        if difference:
            raise fail(rule, f"{self.test.name}: {difference}")


def small_network(subject: Subject, operand_type: OperandType) -> CachedNetwork:
    """Return a small MobileNet with the outputs that the driver computes without a cache.

    :raises CaseFailed: UNSUPPORTED if the driver does not support all of it.
    """
    return _find_network(subject, small_mobilenet(operand_type), compared_with_itself=True)


def chain_network(subject: Subject, operation: OperationType, operand_type: OperandType) -> CachedNetwork:
    """Return a chain of additions or multiplications.

    :raises CaseFailed: UNSUPPORTED if the driver does not support it.
    """
    return _find_network(subject, chain(operation, operand_type), compared_with_itself=False)


def _find_network(subject: Subject, test: TestModel, *, compared_with_itself: bool) -> CachedNetwork:
    """Return a network for a driver, whose support is asked for and whose outputs are computed only once.

    :raises CaseFailed: UNSUPPORTED if the driver does not support all of it.
    """
    key = "caching", "network", test.name
    if key not in subject.shared:
        # The model has no pools, so it outlives the block.
        with built_model(test, subject.feature_level) as model:
            network = CachedNetwork(test, model)
        if not all(ask_supported(subject, model)):
            raise unsupported(f"the driver does not take all of {test.name}")
        if compared_with_itself:
            outputs = network.outputs(subject, prepare_valid(subject, model))
            if not any(output.any() for output in outputs):
                raise fail("execution/output.value", f"{test.name}: the shares of a softmax are all zero")
            network = CachedNetwork(test, model, tuple(output.tobytes() for output in outputs))
        subject.shared[key] = network
    known: CachedNetwork = subject.shared[key]
    return known
