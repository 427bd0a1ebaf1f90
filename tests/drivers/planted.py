"""Five drivers with a planted bug each: a zero point, sums in float16, a crash, padding, a leak."""

# ruff: noqa: ANN001, ANN201, ANN204, ANN205 - written as an author writes a first driver

import ctypes

import numpy as np

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel, constant
from nnvet.hal.errors import failure
from nnvet.hal.types import OperandType, OperationType

CLIPS = {0: (-np.inf, np.inf), 1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}
SAME = 1
INVALID_ADDRESS = 8
KEPT = []


class PlantedModel(BasePreparedModel):
    """Runs operations in order by a kernel, which gets the values of the inputs, and the operands of all."""

    def __init__(self, model, kernel):
        """Remember the kernel."""
        super().__init__(model)
        self.kernel = kernel

    def compute(self, inputs):
        """Outputs of the model for its inputs."""
        main = self.model.main
        values = [constant(self.model, operand) for operand in main.operands]
        for index, value in zip(main.input_indexes, inputs, strict=True):
            values[index] = value
        for operation in main.operations:
            operands = [main.operands[index] for index in (*operation.inputs, *operation.outputs)]
            try:
                values[operation.outputs[0]] = self.kernel([values[index] for index in operation.inputs], operands)
            except ValueError as error:  # shapes that do not fit
                raise failure(str(error)) from error
        return [values[index] for index in main.output_indexes]


class Planted(BaseDevice):
    """One operation, of one type, whose scalars are known when a model is prepared."""

    operation = OperationType.ADD
    kind = OperandType.TENSOR_FLOAT32

    def supports(self, model, operation):
        """Return True for the operation and its type."""
        operands = [model.main.operands[index] for index in operation.inputs]
        scalars = [operand for operand in operands if not operand.dimensions and operand.type != self.kind]
        is_known = all(constant(model, operand) is not None for operand in scalars)
        return operation.type == self.operation and operands[0].type == self.kind and is_known

    def compile(self, model, config):
        """Return the model with the kernel of the class."""
        return PlantedModel(model, type(self).kernel)


class ZeroPoint(Planted):
    """The zero point of the second input is left out."""

    name = "zero-point"
    kind = OperandType.TENSOR_QUANT8_ASYMM

    @staticmethod
    def kernel(values, operands):
        """Sum of codes."""
        first, second, _, output = operands
        total = (values[0] - np.float64(first.zero_point)) * first.scale + values[1] * np.float64(second.scale)
        codes = np.round(np.clip(total, *CLIPS[int(values[2])]) / output.scale) + output.zero_point
        return np.clip(codes, 0, 255).astype(np.uint8)


class HalfSums(Planted):
    """Products are added up in float16."""

    name = "half-sums"
    operation = OperationType.FULLY_CONNECTED

    @staticmethod
    def kernel(values, _):
        """Product of matrices, and the bias."""
        rows, weights = (value.astype(np.float16) for value in (values[0].reshape(-1, values[1].shape[1]), values[1]))
        sums = np.zeros((len(rows), len(weights)), np.float16)
        for place in range(rows.shape[1]):
            sums += rows[:, place, None] * weights[None, :, place]
        return np.clip(sums.astype(np.float32) + values[2], *CLIPS[int(values[3])]).astype(np.float32)


class RankOne(Planted):
    """Vectors are read from an address that there is not."""

    name = "rank-one"
    operation = OperationType.RELU

    @staticmethod
    def kernel(values, _):
        """Maximum with 0."""
        if values[0].ndim == 1:
            ctypes.string_at(INVALID_ADDRESS)
        return np.maximum(values[0], 0)


class SamePadding(Planted):
    """The odd row or column of padding SAME comes first."""

    name = "same-padding"
    operation = OperationType.MAX_POOL_2D

    @staticmethod
    def kernel(values, _):
        """Maxima of windows."""
        image, is_explicit = values[0], len(values) > 9
        numbers = [int(value) for value in values[1:]]
        ends, numbers = (numbers[:4], numbers[4:]) if is_explicit else (numbers[0], numbers[1:])
        stride_x, stride_y, width, height, activation, *layout = numbers
        image = image.transpose(0, 2, 3, 1) if any(layout) else image
        if not is_explicit:
            ends = [*odd_first(image.shape[2], stride_x, width), *odd_first(image.shape[1], stride_y, height)]
            ends = ends if values[1] == SAME else [0] * 4
        around = ((0, 0), tuple(ends[2:]), tuple(ends[:2]), (0, 0))
        image = np.pad(image, around, constant_values=-np.inf)
        windows = np.lib.stride_tricks.sliding_window_view(image, (height, width), axis=(1, 2))
        pooled = windows[:, ::stride_y, ::stride_x].max(axis=(-2, -1)).clip(*CLIPS[activation]).astype(np.float32)
        return pooled.transpose(0, 3, 1, 2) if any(layout) else pooled


def odd_first(size, stride, window):
    """Rows of padding SAME before and behind: the contract wants the larger half behind."""
    total = max(((size + stride - 1) // stride - 1) * stride + window - size, 0)
    return total - total // 2, total // 2


class Leak(Planted):
    """Each execution keeps 32 KiB."""

    name = "leak"

    @staticmethod
    def kernel(values, _):
        """Sum."""
        KEPT.append(np.ones(4096))
        return np.clip(values[0] + values[1], *CLIPS[int(values[2])]).astype(np.float32)
