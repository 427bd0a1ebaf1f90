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
from nnvet.reference_driver.measured import measured_capabilities

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
