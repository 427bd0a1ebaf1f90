"""Measures the latency that the kind ``torch`` adds to PyTorch itself, in turns on the same network and inputs.

``python -m benchmarks.torch_adapter MODEL.tflite`` takes a float MobileNet v1, makes an ordinary
``torch.nn.Sequential`` with its weights, and prints the median processor times of both. The driver runs in this
process, without a service.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.adapters import Subject, medians
from nnvet.adapters.selector import create_device
from nnvet.driver_kit.arrays import constant
from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import OperationType
from nnvet.hal.types import Model, Operation


def network(model: Model) -> nn.Sequential:
    """Return the layers of a MobileNet v1, which takes NCHW images and returns probabilities.

    :raises KeyError: the model has other operations.
    """
    layers: list[nn.Module] = []
    for operation in model.main.operations:
        layers += _LAYERS[OperationType(operation.type)](model, operation)
    return nn.Sequential(*layers).eval()


def _convolution(model: Model, operation: Operation) -> list[nn.Module]:
    """Return a convolution with the implicit padding of TFLite, and its ReLU6; depthwise if it has a multiplier."""
    data, filters, bias = (model.main.operands[index] for index in operation.inputs[:3])
    output = model.main.operands[operation.outputs[0]]
    is_depthwise = operation.type == OperationType.DEPTHWISE_CONV_2D
    order = (3, 0, 1, 2) if is_depthwise else (0, 3, 1, 2)
    weights = torch.from_numpy(np.array(np.transpose(_value(model, filters), order)))
    stride = data.dimensions[1] // output.dimensions[1]
    size = weights.shape[2]
    before, after = _same_padding(data.dimensions[1], output.dimensions[1], stride, size)
    made = nn.Conv2d(
        data.dimensions[3],
        weights.shape[0],
        size,
        stride,
        before if before == after else 0,
        groups=data.dimensions[3] if is_depthwise else 1,
    )
    made.weight, made.bias = nn.Parameter(weights), nn.Parameter(torch.from_numpy(_value(model, bias)))
    padding = [] if before == after else [nn.ZeroPad2d((before, after, before, after))]
    activation = int(_value(model, model.main.operands[operation.inputs[-1]]).reshape(-1)[0])
    return [*padding, made, *([nn.ReLU6()] if activation else [])]


def _same_padding(size: int, new: int, stride: int, reach: int) -> tuple[int, int]:
    total = max((new - 1) * stride + reach - size, 0)
    return total // 2, total - total // 2


def _value(model: Model, operand: Any) -> Any:
    return np.array(constant(model, operand))


_LAYERS: dict[OperationType, Callable[[Model, Operation], list[nn.Module]]] = {
    OperationType.CONV_2D: _convolution,
    OperationType.DEPTHWISE_CONV_2D: _convolution,
    OperationType.AVERAGE_POOL_2D: lambda _model, _operation: [nn.AdaptiveAvgPool2d(1)],
    OperationType.RESHAPE: lambda _model, _operation: [nn.Flatten()],
    OperationType.SQUEEZE: lambda _model, _operation: [nn.Flatten()],
    OperationType.SOFTMAX: lambda _model, _operation: [nn.Softmax(1)],
}


def runtime_call(model: Model) -> Callable[[], object]:
    """Return a function that runs PyTorch once: it takes an array and returns an array."""
    torch.set_num_threads(1)
    made, (index,) = network(model), model.main.input_indexes
    picture = np.zeros(model.main.operands[index].dimensions, np.float32)

    def call() -> object:
        with torch.inference_mode():
            return made(torch.from_numpy(picture).permute(0, 3, 1, 2)).numpy()

    return call


def main(path: Path) -> None:
    """Print the medians, each also as a multiple of PyTorch's own median."""
    with ExitStack() as stack:
        model = stack.enter_context(import_model(path.read_bytes())).model
        calls = {
            "PyTorch": runtime_call(model),
            "adapter": Subject(stack, create_device("torch"), model).synchronous(),
        }
        found = medians(calls, time.process_time_ns)
    for name, median in found.items():
        print(f"{name:10} {median:.3f} ms  {median / found['PyTorch']:.3f} x")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
