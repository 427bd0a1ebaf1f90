"""Bugs that only unusual models show: parameters, shapes and chains that no case of the suite has."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from nnvet.driver_kit.arrays import Array
from nnvet.hal.enums import FusedActivationFunc, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import Model, Operand, PrepareModelConfig, Subgraph, SymmPerChannelQuantParams
from nnvet.reference_driver.compiled import CompiledOperation, CompiledSubgraph
from nnvet.reference_driver.kernels.registry import Kernel
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice, WrongKernels, only
from nnvet.reference_driver.zoo.registry import fuzz_bug

_O = OperationType
_SQUARES: Final = tuple(radius * radius for radius in range(1024))
_BLOCK: Final = 4096
_UNARY: Final = frozenset({_O.ABS, _O.EXP, _O.FLOOR, _O.LOG, _O.NEG, _O.RSQRT, _O.SIN, _O.SQRT})
_ROWS: Final = frozenset({_O.LOGISTIC, _O.RELU, _O.RELU1, _O.RELU6, _O.TANH})
_ACTIVATIONS: Final = _ROWS | _UNARY
_PAIR_S: Final = 0.002
_PAGE: Final = 1 << 16
_USUAL_RANK: Final = 4
_USUAL_CHANNELS: Final = (0, 3)
_OFF_BY: Final = 3


class _Examining(FullDevice):
    """Looks at every model that it builds."""

    def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
        """Build it, then look at its main subgraph."""
        prepared = super().build(model, config)
        self.examine(prepared.compiled.main)
        return prepared

    def examine(self, main: CompiledSubgraph) -> None:
        """To be overridden."""


def _steps(main: CompiledSubgraph, operations: frozenset[OperationType]) -> Iterator[CompiledOperation]:
    for step in main.operations:
        if isinstance(step, CompiledOperation) and step.operation.type in operations:
            yield step


@fuzz_bug(
    "fuzz-unchecked-index",
    "A radius is an index into a table of 1024 squares, whatever it is.",
    "model",
    "exception * IndexError*examine*",
)
def unchecked_index() -> Device:
    """LOCAL_RESPONSE_NORMALIZATION allows every radius that is not negative."""

    class Indexing(_Examining):
        def examine(self, main: CompiledSubgraph) -> None:
            """Look up all radii."""
            for step in _steps(main, frozenset({_O.LOCAL_RESPONSE_NORMALIZATION})):
                radius = main.arguments[step.operation.inputs[1]].value
                if radius is not None:
                    step.memory["square"] = _SQUARES[int(radius)]

    return Indexing()


class _Blocks(dict[tuple[tuple[int, ...], ...], Any]):
    """Plans of an operation; each says how many rows go into a block."""

    def __setitem__(self, key: tuple[tuple[int, ...], ...], plan: Any) -> None:
        """Keep a plan: its specs, and its outputs with their dimensions."""
        self.rows = _BLOCK // plan[1][0].dimensions[-1]
        super().__setitem__(key, plan)


@fuzz_bug(
    "fuzz-zero-division",
    "Activations divide by the size of the last dimension, which may be 0.",
    "model",
    "exception * *ZeroDivisionError*",
)
def zero_division() -> Device:
    """Detectors that detect nothing leave tensors with no images, which models seldom transpose."""

    class Dividing(_Examining):
        def examine(self, main: CompiledSubgraph) -> None:
            """Plan in blocks."""
            for step in _steps(main, _ROWS):
                step.plans = _Blocks()

    return Dividing()


@fuzz_bug(
    "fuzz-long-chain", "Preparing takes a time that grows with the square of the longest chain.", "model", "hang *"
)
def long_chain() -> Device:
    """Every pair of a chain of activations is tried for fusion; chains are short in the models of the suite."""

    class Pairing(_Examining):
        def examine(self, main: CompiledSubgraph) -> None:
            """Try to fuse."""
            time.sleep(_PAIR_S * longest_chain(main.source) ** 2)

    return Pairing()


def longest_chain(subgraph: Subgraph) -> int:
    """Operations of the longest chain of activations, each of which reads what the one before has computed."""
    lengths: dict[int, int] = {}
    for operation in subgraph.operations:
        if operation.type in _ACTIVATIONS:
            lengths[operation.outputs[0]] = 1 + lengths.get(operation.inputs[0], 0)
    return max(lengths.values(), default=0)


@fuzz_bug(
    "fuzz-dimension-product",
    "Memory for each operand is taken by its dimensions before they are checked.",
    "model",
    "memory *",
)
def dimension_product() -> Device:
    """One absurd dimension is still no problem, two are."""

    class Reserving(FullDevice):
        def check_model(self, model: Model) -> None:
            """Reserve a byte for each page, then check."""
            for dimensions in (operand.dimensions for operand in model.main.operands):
                if len(dimensions) > _USUAL_RANK:
                    bytearray(max(0, math.prod(dimensions)) // _PAGE)
            super().check_model(model)

    return Reserving()


@fuzz_bug(
    "fuzz-channel-scales",
    "Scales along other dimensions than the first and the fourth are not looked at.",
    "model",
    "accepted model/operand.channel_scales *",
)
def channel_scales() -> Device:
    """Filters of convolutions have them there."""

    class Overlooking(FullDevice):
        def check_model(self, model: Model) -> None:
            """Check a model whose other scales are right."""
            operands = tuple(_with_right_scales(operand) for operand in model.main.operands)
            super().check_model(replace(model, main=replace(model.main, operands=operands)))

    return Overlooking()


@fuzz_bug(
    "fuzz-kept-refusals",
    "A model with a wrong operand is kept with the error, for a list that nobody reads.",
    "model",
    "leak client/leak *",
)
def kept_refusals() -> Device:
    """Tests refuse a model once or twice, which is no memory worth mentioning."""

    class Keeping(FullDevice):
        def __init__(self) -> None:
            super().__init__()
            self.refused: list[tuple[str, Model]] = []

        def check_model(self, model: Model) -> None:
            """Check it, and remember what was wrong."""
            try:
                super().check_model(model)
            except HalError as error:
                if error.rule.startswith("model/operand."):
                    self.refused.append((error.message, model))
                raise

    return Keeping()


def _with_right_scales(operand: Operand) -> Operand:
    params, dimensions = operand.extra_params, operand.dimensions
    if not isinstance(params, SymmPerChannelQuantParams) or params.channel_dim in _USUAL_CHANNELS:
        return operand
    if not 0 <= params.channel_dim < len(dimensions) or operand.type != OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return operand
    return replace(operand, extra_params=replace(params, scales=(1.0,) * min(dimensions[params.channel_dim], _BLOCK)))


@fuzz_bug(
    "fuzz-rare-attribute",
    "AVERAGE_POOL_2D is wrong with layout NCHW, activation RELU1 and two different strides.",
    "differential",
    "wrong * AVERAGE_POOL_2D *",
)
def rare_attribute() -> Device:
    """Each of the three is right by itself."""

    def wrong(kernel: Kernel, call: Call) -> Array:
        result = only(kernel(call))
        return result + result.dtype.type(_OFF_BY) if _is_rare(call) else result

    return WrongKernels({_O.AVERAGE_POOL_2D}, wrong)


def _is_rare(call: Call) -> bool:
    is_clipped = call.scalar("activation") == FusedActivationFunc.RELU1
    return bool(
        call.scalar("layout", False) and is_clipped and call.scalar("stride_width") != call.scalar("stride_height")
    )
