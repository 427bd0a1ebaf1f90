"""Margins by which a driver may be worse than the baseline: the one table of them, see docs/models.md."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model


class ArithmeticKind(StrEnum):
    """Kinds of arithmetic of a model."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    CODES = "codes"


def _alike(allowed: float) -> dict[ArithmeticKind, float]:
    return dict.fromkeys(ArithmeticKind, allowed)


_F32, _F16, _CODES = ArithmeticKind

TOP_1: Final = "top_1"
SAME_TOP_1: Final = "same_top_1"
NOISE: Final = "output_noise_db"
MARGINS: Final[Mapping[str, Mapping[ArithmeticKind, float]]] = {
    TOP_1: _alike(-0.01),
    SAME_TOP_1: {_F32: -0.005, _F16: -0.05, _CODES: -0.05},
    "mel_cep_distortion": _alike(0.4),
    "log_f0_error": _alike(0.001),
    "phone_error_rate": _alike(0.5),
    "true_mel_cep_distortion": _alike(0.01),
    "true_log_f0_error": _alike(0.001),
    "true_phone_error_rate": _alike(0.5),
    "true_voicing_error": _alike(0.2),
    NOISE: {_F32: 12.0, _F16: 6.0, _CODES: 6.0},
}
"""The worst difference to the baseline that is allowed, by metric: negative where more is better.

Speech: a tenth of MLTS's own limits, but beside the truth as small as the figures are. Noise: 12 dB are four times the
error, 6 dB twice.
"""


def kind_of(model: Model) -> ArithmeticKind:
    """Return the arithmetic of a model: codes, if any of its operands is quantised to 8 bits."""
    if any(type_info(operand.type).is_quantized for operand in model.main.operands):
        return ArithmeticKind.CODES
    return ArithmeticKind.FLOAT16 if model.relax_computation_float32_to_float16 else ArithmeticKind.FLOAT32
