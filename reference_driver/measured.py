"""The bundled driver's answer to getCapabilities: figures that were measured, see the file itself for where and how.

``make capabilities`` writes the file with ``nnvet capabilities``. Without energy counters there is no figure of power:
it is 1, since the driver runs on the reference CPU itself.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from nnvet.driver_kit.capabilities import make_capabilities
from nnvet.hal.enums import OperandType
from nnvet.hal.types import Capabilities, PerformanceInfo

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
