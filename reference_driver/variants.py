"""Limited forms of the bundled driver, as data: what each claims to be good at, and which operations and level it has.

They let the suite be tried on drivers that support only a part, or an older interface, as most real ones do.

The bundled driver's answer to getCapabilities: figures that were measured, see the file itself for where and how.

``make capabilities`` writes the file with ``nnvet capabilities``. Without energy counters there is no figure of power:
it is 1, since the driver runs on the reference CPU itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from nnvet.driver_kit.capabilities import make_capabilities
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.types import Capabilities, Operation, PerformanceInfo, Subgraph
from nnvet.reference_driver.example_extension import EXAMPLE

FILE: Final = Path(__file__).with_name("performance.json")
_UNSIGNED, _SIGNED = OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED


class _Figure(msgspec.Struct, frozen=True):
    name: str
    time: float | None
    power: float | None


class _Measured(msgspec.Struct, frozen=True):
    figures: tuple[_Figure, ...]


@cache
def measured_capabilities() -> Capabilities:
    """The figures of the file; what no network tells of has that of float32, signed codes that of unsigned ones."""
    read = msgspec.json.decode(FILE.read_bytes(), type=_Measured)
    # The contract has them as 32-bit floats.
    known = {
        figure.name: PerformanceInfo(_single(figure.time), _single(figure.power or 1.0))
        for figure in read.figures
        if figure.time
    }
    float32, unsigned = known[OperandType.TENSOR_FLOAT32.name], known[_UNSIGNED.name]
    codes = {_UNSIGNED: unsigned, _SIGNED: known.get(_SIGNED.name, unsigned)}
    return make_capabilities(float32, float32, known["relaxed float32 tensor"], codes)


def _single(value: float) -> float:
    return float(np.float32(value))


_MINIMAL = (OperationType.ADD, OperationType.CONCATENATION, OperationType.CONV_2D)

Supports = Callable[[Operation, Subgraph], bool]


@dataclass(frozen=True, slots=True)
class Variant:
    """Name, performance, operations supported, extensions, feature level."""

    name: str
    capabilities: Capabilities
    supports: Supports
    extensions: tuple[ExtensionDeclaration, ...] = ()
    feature_level: FeatureLevel = FeatureLevel.FL8


def _first_input(operation: Operation, subgraph: Subgraph) -> int | None:
    return subgraph.operands[operation.inputs[0]].type if operation.inputs else None


def _everything(_operation: Operation, _subgraph: Subgraph) -> bool:
    return True


def _float_only(operation: Operation, subgraph: Subgraph) -> bool:
    return _first_input(operation, subgraph) == OperandType.TENSOR_FLOAT32


def _minimal(operation: Operation, subgraph: Subgraph) -> bool:
    return operation.type in _MINIMAL and _float_only(operation, subgraph)


def _quant8_only(operation: Operation, subgraph: Subgraph) -> bool:
    position = 1 if operation.type == OperationType.SELECT else 0
    return subgraph.operands[operation.inputs[position]].type in QUANT8_ASYMM


def _claims(
    float32: tuple[float, float], relaxed: tuple[float, float], default: tuple[float, float] = (1.0, 1.0)
) -> Capabilities:
    """Time and power of float32, relaxed float32 and all else, as those of Android's sample drivers."""
    return make_capabilities(PerformanceInfo(*default), PerformanceInfo(*float32), PerformanceInfo(*relaxed))


VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("", measured_capabilities(), _everything, (EXAMPLE,)),
        Variant("float_fast", _claims((0.8, 1.2), (0.7, 1.1)), _float_only),
        Variant("float_slow", _claims((1.3, 0.7), (1.2, 0.6)), _float_only),
        Variant("minimal", _claims((0.4, 0.5), (0.4, 0.5)), _minimal),
        Variant("quant", _claims((50.0, 1.0), (50.0, 1.0), (50.0, 1.0)), _quant8_only),
        *(
            Variant(f"level_{level}", measured_capabilities(), _everything, feature_level=level)
            for level in FeatureLevel
            if level < FeatureLevel.FL8
        ),
    )
}
