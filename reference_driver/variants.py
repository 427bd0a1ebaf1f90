"""Limited forms of the bundled driver, as data: what each claims to be good at, and which operations and level it has.

They let the suite be tried on drivers that support only a part, or an older interface, as most real ones do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nnvet.driver_kit.capabilities import make_capabilities
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.hal.operand_types import QUANT8_ASYMM
from nnvet.hal.types import Capabilities, Operation, PerformanceInfo, Subgraph
from nnvet.reference_driver.example_extension import EXAMPLE

_MINIMAL = (OperationType.ADD, OperationType.CONCATENATION, OperationType.CONV_2D)

Supports = Callable[[Operation, Subgraph], bool]


@dataclass(frozen=True, slots=True)
class Variant:
    """Name, performance (all types, float32, relaxed float32), operations supported, extensions, feature level."""

    name: str
    default: PerformanceInfo
    float32: PerformanceInfo
    relaxed: PerformanceInfo
    supports: Supports
    extensions: tuple[ExtensionDeclaration, ...] = ()
    feature_level: FeatureLevel = FeatureLevel.FL8

    @property
    def capabilities(self) -> Capabilities:
        """The variant's answer to getCapabilities."""
        return make_capabilities(self.default, self.float32, self.relaxed)


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


_ONE = PerformanceInfo(1.0, 1.0)
_QUANT = PerformanceInfo(50.0, 1.0)
VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("", _ONE, _ONE, _ONE, _everything, (EXAMPLE,)),
        Variant("float_fast", _ONE, PerformanceInfo(0.8, 1.2), PerformanceInfo(0.7, 1.1), _float_only),
        Variant("float_slow", _ONE, PerformanceInfo(1.3, 0.7), PerformanceInfo(1.2, 0.6), _float_only),
        Variant("minimal", _ONE, PerformanceInfo(0.4, 0.5), PerformanceInfo(0.4, 0.5), _minimal),
        Variant("quant", _QUANT, _QUANT, _QUANT, _quant8_only),
        *(
            Variant(f"level_{level}", _ONE, _ONE, _ONE, _everything, feature_level=level)
            for level in FeatureLevel
            if level < FeatureLevel.FL8
        ),
    )
}
