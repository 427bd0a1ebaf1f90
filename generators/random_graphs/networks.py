"""Random networks: chains of layers as clients execute them again and again, for the fast paths of drivers.

Graphs of :mod:`nnvet.generators.random_graphs.models` join any operations, and their weights are constants only by
chance, so a driver with special code for whole networks rarely uses it there. Here each layer reads the one before it,
weights are
constants, and sizes lie around the widths of vectors: 7, 8, 9, 16, 17, … channels. Windows have every padding, stride
and dilation, and codes have zero points at the ends of their range.

Decisions with few alternatives take turns from network to network, so that twelve networks have all alternatives. The
suite ``conformance/suites/quality_of_service/preferences.py`` uses these networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.draft import DraftOperand, float32, random_integers, random_values
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import with_operands
from nnvet.graphs.model import Array, TestModel, TestOperand, element_type
from nnvet.hal.enums import FeatureLevel, OperandLifeTime, OperandType, OperationType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.lstm import BIASES, GATES, LAYER_NORM, PEEPHOLES, PROJECTION, STATES, WEIGHTS
from nnvet.hal.operations.recurrent import DOCUMENTED_ACTIVATIONS, CellOperand
from nnvet.hal.types import SymmPerChannelQuantParams

_O = OperationType
_T = OperandType
_KINDS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
_PER_CHANNEL: Final = _T.TENSOR_QUANT8_SYMM_PER_CHANNEL
_CHANNELS: Final = (1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 32, 33)
"""Numbers of channels and units: vectors have 4, 8 or 16 lanes, and the rest needs code of its own."""
_SPREAD: Final = 74.0
"""Root mean square of codes that are evenly distributed around their zero point."""
_WIDTH: Final = 60.0
"""About that of the codes of sums; more of them would be clamped."""
_UNIFORM: Final = 1.15
"""Root mean square of random floats, which lie in (-2, 2)."""
_SHOWN: Final = 0.2
"""Share of the tensors between layers that are outputs of the model, too."""
_ROWS: Final = 2
"""Rank of what dense layers and cells read."""
_EXPLICIT, _SAME, _VALID = range(3)
_LARGE: Final = (2, 30, 30, 17)
"""Dimensions of images that need so many products that some drivers check the deadline in between."""
_LARGE_TURN: Final = 8


class LayerValue(NamedTuple):
    """An operand of a network; ``spread`` is approximately the root mean square of its values."""

    operand: int
    dimensions: tuple[int, ...]
    scale: float = 0.0
    zero_point: int = 0
    spread: float = 1.0


@dataclass(frozen=True)
class _Side:
    """A window along one axis of an image, and the number of its places."""

    filter: int
    stride: int
    dilation: int
    paddings: tuple[int, int]
    out: int


class _Network:
    """A network in the making: ``earlier`` are the streams of values so far, ``states`` those that cells left."""

    def __init__(self, chooser: Chooser, kind: OperandType, number: int) -> None:
        self.chooser, self.kind, self.number = chooser, kind, number
        self.is_coded = kind != _T.TENSOR_FLOAT32
        self.level = {_T.TENSOR_FLOAT32: 1, _T.TENSOR_QUANT8_ASYMM: 3}.get(kind, 4)
        self.earlier: list[LayerValue] = []
        self.states: list[LayerValue] = []
        self._graph = GraphBuilder()
        self._shown: set[int] = set()
        self._ignored: set[int] = set()

    @property
    def stream(self) -> LayerValue:
        """The tensor that the next layer reads."""
        return self.earlier[-1]

    def begin(self, *dimensions: int) -> None:
        """Add the input of the first layer."""
        self.earlier.append(self.input(dimensions))

    def input(self, dimensions: tuple[int, ...]) -> LayerValue:
        """Return an input of the model with random values."""
        scale, zero = self.quantization(1.0)
        index = self._graph.input(self.kind, dimensions, self._values(self.kind, dimensions, scale, zero), scale, zero)
        return LayerValue(index, dimensions, scale, zero)

    def quantization(self, spread: float) -> tuple[float, int]:
        """Return a scale for values of a root mean square, and a zero point, often at an end of the codes."""
        if not self.is_coded:
            return 0.0, 0
        low, high = type_info(self.kind).zero_point or (0, 0)
        zero = self.chooser.pick((low, low, low + 1, (low + high) // 2, high, self.chooser.integer(low, high)))
        return float32(max(spread, 1e-6) * self.chooser.real(0.5, 2.0) / _WIDTH), zero

    def constant(self, dimensions: tuple[int, ...], spread: float) -> int:
        """Return a constant float tensor."""
        values = self._values(_T.TENSOR_FLOAT32, dimensions) * (spread / _UNIFORM)
        return self._graph.constant(_T.TENSOR_FLOAT32, dimensions, values)

    def number_of(self, value: int) -> int:
        """Return a constant INT32."""
        return self._graph.scalar(_T.INT32, value)

    def truth(self, *, value: bool) -> int:
        """Return a constant BOOL."""
        return self._graph.scalar(_T.BOOL, value)

    def real(self, value: float) -> int:
        """Return a constant FLOAT32."""
        return self._graph.scalar(_T.FLOAT32, value)

    def integers(self, values: Sequence[int]) -> int:
        """Return a constant vector of INT32."""
        return self._graph.constant(_T.TENSOR_INT32, (len(values),), values)

    def omitted(self) -> int:
        """Return an omitted float tensor."""
        return self._graph.add(TestOperand(self.kind, (0,), lifetime=OperandLifeTime.NO_VALUE))

    def activation(self) -> int:
        """Return a fused activation."""
        return self.number_of(self.chooser.integer(0, 3))

    def add(
        self, operation: OperationType, inputs: Sequence[int], *outputs: LayerValue, stream: int = 0
    ) -> list[LayerValue]:
        """Add an operation and return its outputs, which have no index yet; the one at ``stream`` is read on.

        Some streams are outputs of the model, too.
        """
        made = [
            output._replace(
                operand=self._graph.temporary(self.kind, output.dimensions, output.scale, output.zero_point)
            )
            for output in outputs
        ]
        self._graph.operation(operation, tuple(inputs), *(tensor.operand for tensor in made))
        if self.chooser.boolean(_SHOWN):
            self._shown.add(made[stream].operand)
        self.earlier.append(made[stream])
        return made

    def ignore(self, tensor: LayerValue) -> None:
        """Leave the values of an output open."""
        self._ignored.add(tensor.operand)

    def weighted(
        self, dimensions: tuple[int, ...], channel: int | None, terms: int
    ) -> tuple[tuple[int, int], float, float]:
        """Add weights and bias: their operands, the root mean square of the sums, and the scale of products, or 0.

        ``channel`` is the axis of the output channels in the weights, None where they have one scale for all.
        """
        units = dimensions[0 if channel is None else channel]
        root = float(np.sqrt(terms)) * self.stream.spread
        if not self.is_coded:
            bias = self.constant((units,), 0.5 * self.stream.spread)
            return (self.constant(dimensions, 1.0 / float(np.sqrt(terms))), bias), self.stream.spread, 0.0
        scale, few = float32(self.chooser.real(0.002, 0.02)), self.chooser.boolean(0.15)
        if channel is not None and self.number // len(_KINDS) % 2:
            self.level = max(self.level, 3)
            scales = tuple(float32(scale * self.chooser.real(0.5, 2.0)) for _ in range(units))
            quantization = SymmPerChannelQuantParams(scales, channel)
            codes = random_integers(self.chooser, prod(dimensions), -127, 127).astype(np.int8)
            life = OperandLifeTime.CONSTANT_COPY
            index = self._graph.add(
                TestOperand(_PER_CHANNEL, dimensions, lifetime=life, channel_quant=quantization, data=codes)
            )
            spread, product = root * scale * _SPREAD, 0.0
        else:
            limits = np.iinfo(element_type(self.kind))
            zero = (int(limits.min) + int(limits.max)) // 2 + self.chooser.integer(-30, 30)
            codes = zero + random_integers(self.chooser, prod(dimensions), -1, 1)
            data = codes if few else self._values(self.kind, dimensions, scale, zero)
            index = self._graph.constant(self.kind, dimensions, data, scale, zero)
            spread, product = root * scale * (0.8 if few else _SPREAD), float32(self.stream.scale * scale)
        most = max(int(spread / (self.stream.scale * scale)), 1)
        values = random_integers(self.chooser, units, -most, most)
        return (index, self._graph.constant(_T.TENSOR_INT32, (units,), values, product)), spread, product

    def finished(self, name: str) -> TestModel:
        """Return the model; what no layer reads is an output."""
        test = self._graph.finish(name, FeatureLevel(self.level))
        main = test.main
        read = {index for operation in main.operations for index in operation.inputs}
        made = [index for operation in main.operations for index in operation.outputs]
        outputs = tuple(index for index in made if index in self._shown or index not in read)
        changed = {
            index: replace(
                main.operands[index],
                lifetime=OperandLifeTime.SUBGRAPH_OUTPUT,
                is_ignored=index in self._ignored,
                data=np.empty(0, element_type(main.operands[index].type)),
            )
            for index in outputs
        }
        return replace(test, main=replace(with_operands(main, changed), output_indexes=outputs))

    def _values(self, kind: OperandType, dimensions: tuple[int, ...], scale: float = 0.0, zero: int = 0) -> Array:
        return random_values(self.chooser, DraftOperand(kind, dimensions, scale, zero))


def _side(chooser: Chooser, scheme: int, size: int, *, most: int = 4, dilated: bool = True) -> _Side:
    """Return a window along an axis; it may be larger than the image if there are paddings."""
    cells, stride = chooser.integer(1, most), chooser.pick((1, 1, 2, 3))
    dilation = chooser.pick((1, 1, 2)) if dilated else 1
    extent = (cells - 1) * dilation + 1
    if scheme == _SAME:
        return _Side(cells, stride, dilation, (0, 0), -(-size // stride))
    paddings = (chooser.integer(0, extent - 1), chooser.integer(0, extent - 1)) if scheme == _EXPLICIT else (0, 0)
    if size + sum(paddings) < extent:
        cells, dilation, extent, paddings = 1, 1, 1, (0, 0)
    return _Side(cells, stride, dilation, paddings, (size + sum(paddings) - extent) // stride + 1)


def _sides(net: _Network, scheme: int, *, is_pool: bool, nchw: bool) -> tuple[_Side, _Side]:
    size = net.stream.dimensions[2:] if nchw else net.stream.dimensions[1:3]
    if is_pool:
        # A window that lies in the padding alone has no mean.
        scheme = _SAME if scheme == _EXPLICIT else scheme
    high, wide = (_side(net.chooser, scheme, cells, dilated=not is_pool) for cells in size)
    return high, wide


def _frame(net: _Network, scheme: int, sides: tuple[_Side, _Side]) -> list[int]:
    """Return paddings or scheme, and strides."""
    high, wide = sides
    paddings = (*wide.paddings, *high.paddings) if scheme == _EXPLICIT else (scheme,)
    return [net.number_of(value) for value in (*paddings, wide.stride, high.stride)]


def _convolution(net: _Network, *, depthwise: bool = False, fixed: int | None = None) -> None:
    """Add CONV_2D or DEPTHWISE_CONV_2D; ``fixed`` is a number of units with windows of 3 by 3."""
    chooser = net.chooser
    nchw, scheme = fixed is None and chooser.boolean(0.1), chooser.integer(_EXPLICIT, _VALID)
    sides = _sides(net, scheme, is_pool=False, nchw=nchw)
    if fixed is not None:
        scheme = _SAME
        sides = tuple(_Side(3, 1, 1, (0, 0), size) for size in net.stream.dimensions[1:3])  # type: ignore[assignment]
    high, wide = sides
    depth = net.stream.dimensions[1 if nchw else 3]
    factor = chooser.pick((1, 1, 1, 1, 2)) if depthwise else 1
    units = depth * factor if depthwise else fixed or chooser.pick(_CHANNELS)
    cells = high.filter, wide.filter
    shape, axis, terms = (
        ((1, *cells, units), 3, prod(cells)) if depthwise else ((units, *cells, depth), 0, prod(cells) * depth)
    )
    operands, spread, _ = net.weighted(shape, axis, terms)
    parameters = [*_frame(net, scheme, sides), *([net.number_of(factor)] if depthwise else []), net.activation()]
    is_dilated = (high.dilation, wide.dilation) != (1, 1)
    if nchw or is_dilated or chooser.boolean(0.3):
        net.level = max(net.level, 3)
        parameters.append(net.truth(value=nchw))
        if is_dilated or chooser.boolean():
            parameters += [net.number_of(wide.dilation), net.number_of(high.dilation)]
    batches = net.stream.dimensions[0]
    out = (batches, units, high.out, wide.out) if nchw else (batches, high.out, wide.out, units)
    code = _O.DEPTHWISE_CONV_2D if depthwise else _O.CONV_2D
    net.add(code, (net.stream.operand, *operands, *parameters), LayerValue(-1, out, *net.quantization(spread), spread))


def _depthwise(net: _Network) -> None:
    _convolution(net, depthwise=True)


def _pool(net: _Network) -> None:
    """Add a mean or a maximum, in the quantisation of the input."""
    scheme = net.chooser.integer(_SAME, _VALID)
    sides = _sides(net, scheme, is_pool=True, nchw=False)
    batches, _, _, depth = net.stream.dimensions
    sizes = [net.number_of(side.filter) for side in reversed(sides)]
    parameters = (*_frame(net, scheme, sides), *sizes, net.activation())
    made = net.stream._replace(dimensions=(batches, sides[0].out, sides[1].out, depth))
    code = net.chooser.pick((_O.AVERAGE_POOL_2D, _O.MAX_POOL_2D))
    net.add(code, (net.stream.operand, *parameters), made)


def _sum(net: _Network) -> None:
    """Add an earlier tensor of the same dimensions, an input, or a vector of channels."""
    chooser, stream = net.chooser, net.stream
    alike = [tensor for tensor in net.earlier if tensor.dimensions == stream.dimensions]
    if chooser.boolean(0.1):
        other = net.input(stream.dimensions[-1:])
    else:
        other = chooser.pick(alike) if chooser.boolean(0.7) else net.input(stream.dimensions)
    pair = (stream, other) if chooser.boolean() else (other, stream)
    spread = float(np.hypot(stream.spread, other.spread))
    made = LayerValue(-1, stream.dimensions, *net.quantization(spread), spread)
    net.add(_O.ADD, (*(tensor.operand for tensor in pair), net.activation()), made)


def _plain(net: _Network) -> None:
    """Add a layer that most drivers join to nothing."""
    net.add(_O.RELU, (net.stream.operand,), net.stream)


def _reshape(net: _Network, *dimensions: int) -> None:
    made = net.stream._replace(dimensions=dimensions)
    net.add(_O.RESHAPE, (net.stream.operand, net.integers(dimensions)), made)


def _turned(net: _Network) -> None:
    batches, height, width, depth = net.stream.dimensions
    _reshape(net, batches, width, height, depth)


def _fully_connected(net: _Network) -> None:
    depth = net.stream.dimensions[-1]
    rows, units = prod(net.stream.dimensions) // depth, net.chooser.pick(_CHANNELS)
    operands, spread, _ = net.weighted((units, depth), None, depth)
    made = LayerValue(-1, (rows, units), *net.quantization(spread), spread)
    net.add(_O.FULLY_CONNECTED, (net.stream.operand, *operands, net.activation()), made)


def _softmax(net: _Network) -> None:
    rank, lowest = len(net.stream.dimensions), (type_info(net.kind).zero_point or (0, 0))[0]
    extra: list[int] = []
    if net.chooser.boolean(0.4):
        net.level = max(net.level, 3)
        extra = [net.number_of(net.chooser.pick((-1, rank - 1, 0)))]
    scale = 1 / 256 if net.is_coded else 0.0
    beta = net.real(float32(net.chooser.real(0.2, 2.0) / max(net.stream.spread, 1e-6)))
    made = LayerValue(-1, net.stream.dimensions, scale, lowest if net.is_coded else 0, 0.2)
    net.add(_O.SOFTMAX, (net.stream.operand, beta, *extra), made)


_Layer = Callable[[_Network], None]
_OF_IMAGES: Final[tuple[_Layer, ...]] = (
    *(_convolution, _convolution, _convolution, _depthwise, _depthwise),
    *(_pool, _pool, _sum, _sum, _plain, _turned),
)
_OF_ROWS: Final[tuple[_Layer, ...]] = (_fully_connected, _fully_connected, _sum, _softmax, _plain)


def image_network(chooser: Chooser, number: int, name: str) -> TestModel:
    """Return a network of convolutions, pools and sums, with dense layers at its end."""
    net = _Network(chooser, _KINDS[number % len(_KINDS)], number)
    if number % _LARGE_TURN == _LARGE_TURN - 1:
        net.begin(*_LARGE)
        _convolution(net, fixed=33)
        _convolution(net, fixed=8)
        _pool(net)
    else:
        net.begin(chooser.integer(1, 3), chooser.integer(1, 12), chooser.integer(1, 12), chooser.pick(_CHANNELS))
    for _ in range(chooser.integer(2, 7)):
        chooser.pick(_OF_IMAGES)(net)
    if chooser.boolean(0.7):
        if chooser.boolean():
            _softmax(net)
        batches, *rest = net.stream.dimensions
        _reshape(net, batches, prod(rest))
        for _ in range(chooser.integer(1, 3)):
            chooser.pick(_OF_ROWS)(net)
    return net.finished(name)


def _rows(net: _Network) -> tuple[int, int]:
    """Turn the stream into rows, and return their number and their length."""
    size = net.stream.dimensions[-1]
    if len(net.stream.dimensions) != _ROWS:
        _reshape(net, prod(net.stream.dimensions) // size, size)
    return net.stream.dimensions[0], size


def _state(net: _Network, dimensions: tuple[int, int]) -> int:
    """Return a state: that of an earlier cell, an input of the model, or seldom a constant."""
    alike = [state.operand for state in net.states if state.dimensions == dimensions]
    if alike and net.chooser.boolean():
        return net.chooser.pick(alike)
    return net.constant(dimensions, 1.0) if net.chooser.boolean(0.05) else net.input(dimensions).operand


def _documented(net: _Network) -> int:
    return net.number_of(net.chooser.pick(DOCUMENTED_ACTIVATIONS))


def _rnn(net: _Network) -> None:
    batches, size = _rows(net)
    units = net.chooser.pick(_CHANNELS)
    weights = [net.constant((units, of), 0.7 / of**0.5) for of in (size, units)]
    inputs = net.stream.operand, *weights, net.constant((units,), 0.5), _state(net, (batches, units)), _documented(net)
    made = LayerValue(-1, (batches, units))
    net.states.append(net.add(_O.RNN, inputs, made, made, stream=1)[0])


class _Cell(NamedTuple):
    """Sizes of an LSTM by the letters of its operands, and the operands that it omits."""

    sizes: Mapping[str, int]
    omitted: frozenset[str]

    def operands(self, net: _Network, table: Sequence[CellOperand]) -> list[int]:
        """Return constants for the tensors of a table; those of matrices keep sums of products near 1."""
        found = []
        for operand in table:
            dimensions = tuple(self.sizes[letter] for letter in operand.shape)
            spread = 0.7 / dimensions[-1] ** 0.5 if len(dimensions) > 1 else 0.5
            found.append(net.omitted() if operand.name in self.omitted else net.constant(dimensions, spread))
        return found


def _names(table: Sequence[CellOperand]) -> set[str]:
    return {operand.name for operand in table}


def _cell(net: _Network, batches: int, size: int) -> _Cell:
    """Return a cell with some of the parts that cells may lack."""
    chooser, omitted = net.chooser, set[str]()
    units = chooser.pick(_CHANNELS)
    is_projected, is_normal = chooser.boolean(0.4), chooser.boolean(0.2)
    for table, share in ((PEEPHOLES, 0.5), (PROJECTION, 0.0 if is_projected else 1.0)):
        if chooser.boolean(share):
            omitted |= _names(table)
    omitted |= set() if is_normal else _names(LAYER_NORM)
    if is_projected and chooser.boolean():
        omitted.add("projection_bias")
    if chooser.boolean(0.4):
        kept = {"cell_to_input_weights"} if chooser.boolean() else set()
        every = {f"input_to_{GATES[0]}_weights", f"recurrent_to_{GATES[0]}_weights", "input_gate_bias"}
        omitted |= every | ({"cell_to_input_weights", "input_layer_norm_weights"} - kept)
    width = chooser.pick(_CHANNELS) if is_projected else units
    return _Cell({"B": batches, "I": size, "U": units, "O": width}, frozenset(omitted))


def _lstm(net: _Network, *, is_sequence: bool) -> None:
    """Add LSTM, or a sequence LSTM of one step, which are the same cell, or seldom of more steps."""
    chooser = net.chooser
    batches, size = _rows(net)
    steps, is_first = 1, chooser.boolean()
    if is_sequence:
        steps = 2 if batches % 2 == 0 and chooser.boolean(0.2) else 1
        batches //= steps
        _reshape(net, *((steps, batches) if is_first else (batches, steps)), size)
    cell = _cell(net, batches, size)
    source = net.stream.operand
    operands = cell.operands(net, (*WEIGHTS, *PEEPHOLES, *BIASES, *PROJECTION))
    states = [_state(net, (batches, cell.sizes[operand.shape[1]])) for operand in STATES]
    clips = [net.real(float32(chooser.real(0.5, 2.0)) if chooser.boolean() else 0.0) for _ in range(2)]
    inputs = [source, *operands, *states, _documented(net), *clips]
    if is_sequence:
        inputs.append(net.truth(value=is_first))
    if is_sequence or not _names(LAYER_NORM) <= cell.omitted:
        net.level = max(net.level, 3)
        inputs += cell.operands(net, LAYER_NORM)
    output, state = (LayerValue(-1, (batches, cell.sizes[letter])) for letter in "OU")
    if is_sequence:
        whole = LayerValue(-1, (*((steps, batches) if is_first else (batches, steps)), cell.sizes["O"]))
        shown = chooser.boolean(0.7)
        net.level = max(net.level, 4 if shown else 3)
        net.states += net.add(_O.UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, whole, *((output, state) if shown else ()))[1:]
        return
    gates = 3 if f"input_to_{GATES[0]}_weights" in cell.omitted else 4
    scratch = LayerValue(-1, (batches, gates * cell.sizes["U"]))
    made = net.add(_O.LSTM, inputs, scratch, output, state, output, stream=3)
    net.ignore(made[0])
    net.states += made[1:3]


_OF_STEPS: Final[tuple[_Layer, ...]] = (
    *(partial(_lstm, is_sequence=False), partial(_lstm, is_sequence=True), _rnn) * 2,
    *(_fully_connected, _sum, _plain),
)


def recurrent_network(chooser: Chooser, number: int, name: str) -> TestModel:
    """Return a network of recurrent cells for a step in time, with dense layers between them."""
    net = _Network(chooser, _T.TENSOR_FLOAT32, number)
    net.begin(chooser.integer(1, 9), chooser.pick(_CHANNELS))
    for _ in range(chooser.integer(2, 4)):
        chooser.pick(_OF_STEPS)(net)
    return net.finished(name)
