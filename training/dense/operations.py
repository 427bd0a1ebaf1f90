"""Two interpreters of a network: :class:`TrainedGraph` computes it in PyTorch, :class:`FileGraph` writes it as a file.

A network is a function that calls the operations of a graph, so that the trained network and the file cannot differ.
``networks.py`` has the detector, the segmenter and the upscaler; ``train.py`` and ``build.py`` interpret them. A new
operation needs a method of :class:`Graph` and of both interpreters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import torch
from flatbuffers import flexbuffers
from torch import Tensor, nn
from torch.nn import functional

from nnvet.formats.tflite.schema import Activation, Padding
from training.images.export import INPUT_SCALE, INPUT_ZERO_POINT, NetworkWriter, Value
from training.images.folded import Range
from training.images.modules import TrainedLayer
from training.images.networks import LayerPlan

_SIX: Final = 6.0
"""Upper bound of RELU6."""
_OUTLIERS: Final = 1e-4
"""Share of the values at each end that may be beyond the range of codes."""
_KERNEL: Final = 3
"""Side of the kernels of transposed convolutions, whose stride is 2."""
_PROBABILITIES: Final = (1.0 / 256, 0)
"""Scale and zero point of the codes of LOGISTIC, as TFLite demands."""


@dataclass(frozen=True)
class Head:
    """The detection head: boxes [y, x, height, width] of anchors, and classes without the background.

    It returns at most ``most`` detections of at least ``score``, without those that overlap a better one by more than
    ``overlap`` (intersection over union). ``scales`` divide the deltas of y, x, height and width.
    """

    anchors: npt.NDArray[np.float32]
    classes: int
    most: int
    score: float
    overlap: float
    scales: tuple[float, float, float, float]


class Graph(Protocol):
    """The operations of a network; values are tensors or what a file knows about them."""

    def layer(self, name: str, data: Any, plan: LayerPlan) -> Any:
        """Return a convolution."""

    def transposed(self, name: str, data: Any, channels: int) -> Any:
        """Return a transposed convolution of stride 2 that keeps the number of channels."""

    def add(self, name: str, left: Any, right: Any, *, rectified: bool) -> Any:
        """Return a sum, between 0 and 6 if ``rectified``."""

    def enlarged(self, name: str, data: Any, factor: int) -> Any:
        """Return data whose sides are longer by a factor, by bilinear interpolation."""

    def spread(self, name: str, data: Any, block: int) -> Any:
        """Return data whose channels became squares of pixels."""

    def rows(self, name: str, parts: Mapping[str, Any], size: int) -> Any:
        """Return layers, by their names, as rows of ``size`` numbers, one layer after the other."""

    def scores(self, name: str, data: Any) -> Any:
        """Return the logistic function of data."""

    def detections(self, deltas: Any, scores: Any, head: Head) -> Any:
        """Return boxes, classes, scores and count."""


Network = Callable[[Graph, Any], Any]
"""Function from a graph and the picture to the network's output, or a tuple of outputs."""


class TrainedGraph(nn.Module):
    """Computes a network on [batch, channels, side, side]; while it observes, it keeps the range of each value."""

    def __init__(self, network: Network, size: int) -> None:
        """Make the layers, by a run on an empty picture of ``size``."""
        super().__init__()
        self._network = network
        self.layers = nn.ModuleDict()
        self._ranges: dict[str, Range] | None = None
        with torch.no_grad():
            self(torch.zeros(2, 3, size, size))

    def forward(self, data: Tensor) -> Any:
        """Return the outputs of the network."""
        return self._network(self, data)

    @torch.no_grad()
    def ranges(self, data: Tensor) -> dict[str, Range]:
        """Return the ranges of all values on some pictures."""
        self.eval()
        self._ranges = {}
        self(data)
        found, self._ranges = self._ranges, None
        return found

    def parameters_of(self, name: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return weights and bias of a layer, with the normalisation in them."""
        layer = self.layers[name]
        if isinstance(layer, TrainedLayer):
            weight, bias = layer.folded()
        else:
            weight, bias = layer.weight, layer.bias
        return weight.detach().numpy(), bias.detach().numpy()

    def layer(self, name: str, data: Tensor, plan: LayerPlan) -> Tensor:
        """Return a convolution, normalised in training unless it is linear."""
        if name not in self.layers:
            self.layers[name] = TrainedLayer(plan, last=not plan.rectified)
        return self._observed(name, self.layers[name](data), rectified=plan.rectified)

    def transposed(self, name: str, data: Tensor, channels: int) -> Tensor:
        """Return a transposed convolution, which begins as an interpolation.

        The result has one row and one column more than that of TFLite's padding SAME; they are cut off.
        """
        if name not in self.layers:
            self.layers[name] = layer = nn.ConvTranspose2d(channels, channels, _KERNEL, 2)
            kernel = torch.tensor([0.5, 1.0, 0.5])
            layer.weight.copy_(torch.eye(channels)[:, :, None, None] * torch.outer(kernel, kernel))
        side = 2 * data.shape[-1]
        return self._observed(name, self.layers[name](data)[..., :side, :side])

    def add(self, name: str, left: Tensor, right: Tensor, *, rectified: bool) -> Tensor:
        """Return a sum."""
        value = functional.relu6(left + right) if rectified else left + right
        return self._observed(name, value, rectified=rectified)

    def enlarged(self, name: str, data: Tensor, factor: int) -> Tensor:
        """Return data with longer sides; pixels have their centres at halves."""
        del name
        return functional.interpolate(data, scale_factor=factor, mode="bilinear", align_corners=False)

    def spread(self, name: str, data: Tensor, block: int) -> Tensor:
        """Return channels as squares, in TFLite's order: the colours of a pixel lie side by side."""
        del name
        batch, channels, side, _ = data.shape
        parts = data.view(batch, block, block, channels // block**2, side, side)
        return parts.permute(0, 3, 4, 1, 5, 2).reshape(batch, -1, side * block, side * block)

    def rows(self, name: str, parts: Mapping[str, Tensor], size: int) -> Tensor:
        """Return layers as rows; all of them get the range of the whole, as one tensor of codes holds them."""
        whole = torch.cat([part.permute(0, 2, 3, 1).reshape(len(part), -1, size) for part in parts.values()], 1)
        self._observed(name, whole)
        if self._ranges is not None:
            self._ranges |= dict.fromkeys(parts, self._ranges[name])
        return whole

    def scores(self, name: str, data: Tensor) -> Tensor:
        """Return logits, of which losses are made."""
        del name
        return data

    def detections(self, deltas: Tensor, scores: Tensor, head: Head) -> tuple[Tensor, Tensor]:
        """Return deltas and logits, of which losses are made."""
        del head
        return deltas, scores

    def _observed(self, name: str, value: Tensor, *, rectified: bool = False) -> Tensor:
        """Keep the range of a value."""
        if self._ranges is not None:
            flat = value.flatten().sort().values
            outliers = int(_OUTLIERS * flat.numel())
            low, high = min(float(flat[outliers]), 0.0), max(float(flat[-1 - outliers]), 0.0)
            self._ranges[name] = (0.0, min(float(flat[-1]), _SIX)) if rectified else (low, high)
        return value


class FileGraph(NetworkWriter):
    """Writes a trained network; see :class:`NetworkWriter` for ``form`` and ``ranges``."""

    def __init__(self, name: str, trained: TrainedGraph, form: str, ranges: Mapping[str, Range]) -> None:
        """Begin a file."""
        super().__init__(name, form, ranges)
        self._trained = trained

    def written(self, network: Network, size: int) -> bytes:
        """Return the file."""
        picture = self.value("picture", (1, size, size, 3), (INPUT_SCALE, INPUT_ZERO_POINT))
        outputs = network(self, picture)
        indexes = [outputs.index] if isinstance(outputs, Value) else list(outputs)
        return self.writer.finish([picture.index], indexes)

    def layer(self, name: str, data: Value, plan: LayerPlan, *_: Any) -> Value:
        """Return a convolution with the trained weights."""
        return super().layer(name, data, plan, *self._trained.parameters_of(name))

    def transposed(self, name: str, data: Value, channels: int) -> Value:
        """Return TRANSPOSE_CONV; weights are [outputs, rows, columns, inputs], and sizes are a constant."""
        weights, bias = self._trained.parameters_of(name)
        shape = (1, 2 * data.side, 2 * data.side, channels)
        output = self.value(name, shape, self.steps(name))
        parameters = self.parameters(name, data, weights.transpose(1, 2, 3, 0), bias, 0)
        size = self.writer.constant(f"{name} shape", shape, "int32")
        tensors = [size, parameters[0], data.index, parameters[1]]
        self.writer.operator(
            "TRANSPOSE_CONV", tensors, [output.index], version=3, padding=Padding.SAME, stride_w=2, stride_h=2
        )
        return output

    def add(self, name: str, left: Value, right: Value, *, rectified: bool) -> Value:
        """Return ADD."""
        return self.pair("ADD", name, left, right, Activation.RELU6 if rectified else Activation.NONE)

    def enlarged(self, name: str, data: Value, factor: int) -> Value:
        """Return RESIZE_BILINEAR, which keeps the codes' meaning."""
        side = data.side * factor
        output = self.value(name, (1, side, side, data.channels), (data.scale, data.zero_point))
        size = self.writer.constant(f"{name} size", (side, side), "int32")
        self.writer.operator(
            "RESIZE_BILINEAR",
            [data.index, size],
            [output.index],
            version=3,
            align_corners=False,
            half_pixel_centers=True,
        )
        return output

    def spread(self, name: str, data: Value, block: int) -> Value:
        """Return DEPTH_TO_SPACE."""
        side = data.side * block
        output = self.value(name, (1, side, side, data.channels // block**2), (data.scale, data.zero_point))
        self.operator("DEPTH_TO_SPACE", [data.index], output, block_size=block)
        return output

    def rows(self, name: str, parts: Mapping[str, Value], size: int) -> Value:
        """Return RESHAPE of each layer, and CONCATENATION."""
        reshaped = []
        for layer, data in parts.items():
            shape = (1, data.side**2 * data.channels // size, size)
            reshaped.append(self.value(f"{layer} rows", shape, (data.scale, data.zero_point)))
            constant = self.writer.constant(f"{layer} shape", shape, "int32")
            self.operator("RESHAPE", [data.index, constant], reshaped[-1])
        count = sum(row.side for row in reshaped)
        output = self.value(name, (1, count, size), (reshaped[0].scale, reshaped[0].zero_point))
        self.operator("CONCATENATION", [row.index for row in reshaped], output, axis=1, activation=Activation.NONE)
        return output

    def scores(self, name: str, data: Value) -> Value:
        """Return LOGISTIC."""
        output = self.value(name, (1, data.side, data.channels), _PROBABILITIES)
        self.operator("LOGISTIC", [data.index], output)
        return output

    def detections(self, deltas: Value, scores: Value, head: Head) -> Sequence[int]:
        """Return the head, which computes floats in every form: boxes, classes, scores and count."""
        sides = 4
        shapes = {"boxes": (1, head.most, sides), "classes": (1, head.most), "scores": (1, head.most), "count": (1,)}
        outputs = [self.writer.tensor(name, shape) for name, shape in shapes.items()]
        anchors = self.writer.constant("anchors", head.anchors)
        options = {
            "max_detections": head.most,
            "max_classes_per_detection": 1,
            "detections_per_class": head.most,
            "use_regular_nms": True,
            "nms_score_threshold": head.score,
            "nms_iou_threshold": head.overlap,
            "num_classes": head.classes,
            **dict(zip(("y_scale", "x_scale", "h_scale", "w_scale"), head.scales, strict=True)),
        }
        tensors = [self._real("deltas", deltas), self._real("scores", scores), anchors]
        custom = bytes(flexbuffers.Dumps(options))
        self.writer.operator("CUSTOM 'TFLite_Detection_PostProcess'", tensors, outputs, custom_options=custom)
        return outputs

    def _real(self, name: str, data: Value) -> int:
        """Return a tensor's real numbers."""
        if self.form == "float32":
            return data.index
        output = self.writer.tensor(f"real {name}", (1, data.side, data.channels))
        self.writer.operator("DEQUANTIZE", [data.index], [output], version=2 if self.form == "int8" else 1)
        return output
