"""Rules of single operands: type, lifetime, dimensions, quantisation, extra parameters, location.

:mod:`nnvet.hal.validation.subgraph` calls :func:`check_operand` for each operand of a subgraph. Rules about operands of
one operation are declared with that operation. Source: docs/contract/hal.md 3, 4 and 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Final

from nnvet.hal.enums import CONSTANTS, OperandLifeTime, OperandType
from nnvet.hal.errors import HalError, errors_of, invalid
from nnvet.hal.levels import operand_level
from nnvet.hal.memory import memory_size
from nnvet.hal.operand_types import OPERAND_TYPES, OperandTypeInfo, is_extension, type_info, type_name
from nnvet.hal.types import DataLocation, ExtensionParams, Model, Operand, SymmPerChannelQuantParams

MAX_BYTES = 2**32 - 1
"""Largest size of an operand, in bytes (docs/contract/hal.md 4)."""
OEM_TYPES = (OperandType.OEM, OperandType.TENSOR_OEM_BYTE)
"""Types whose contents the HAL does not define."""
_LIFETIMES = frozenset(OperandLifeTime)
"""The legal lifetimes, for a quick check of numbers."""
_NOWHERE = DataLocation()
"""Location of an operand without data."""
_SCALE_RULES: dict[str, Callable[[float], bool]] = {
    "zero": lambda scale: scale == 0,
    "positive": lambda scale: scale > 0,
    "not_negative": lambda scale: scale >= 0,
    "any": lambda _: True,
}
"""Tests of a scale, by the names that :class:`nnvet.hal.operand_types.OperandTypeInfo` uses."""


def check_operand(operand: Operand, model: Model, where: str, index: int) -> int:
    """Check one operand; ``where`` and its index name it in messages. Returns the feature level it needs.

    :raises HalError: INVALID_ARGUMENT with the broken rule.
    """
    try:
        # NaN equals nothing, so an operand with it would never be found in the cache again.
        level = _find_level(operand) if math.isnan(operand.scale) else _find_level_cached(operand)
        _check_location(operand, model)
    except HalError as error:
        raise invalid(f"{where}, operand {index}: {error.message}", error.rule) from None
    return level


def broken_rules_of_operand(operand: Operand, model: Model, where: str) -> Iterator[HalError]:
    """Yield the errors of all rules that an operand breaks; ``where`` names it in messages."""
    info = OPERAND_TYPES.get(operand.type)
    checks = [partial(check, operand, info) for check in _CHECKS]
    for error in errors_of((*checks, partial(_check_location, operand, model))):
        yield invalid(f"{where}: {error.message}", error.rule)


def _find_level(operand: Operand) -> int:
    """Return the feature level of an operand that is valid by itself, apart from the model around it."""
    info = OPERAND_TYPES.get(operand.type)
    for check in _CHECKS:
        check(operand, info)
    return operand_level(operand)


# A cache, since models repeat their operands, and a model is mostly validated twice: when a driver is asked what it
# supports, and when it prepares.
_find_level_cached = lru_cache(maxsize=4096)(_find_level)


def byte_size(operand_type: int, dimensions: tuple[int, ...]) -> int:
    """Return the bytes of an operand of a known type with these dimensions; 0 if one of them is 0.

    From 2^32 on the result is some number above MAX_BYTES, because the exact product of thousands of dimensions takes
    minutes to compute.
    """
    size = 0 if 0 in dimensions else type_info(operand_type).size
    for dimension in dimensions:
        if size > MAX_BYTES:
            break
        size *= dimension
    return size


def _check_type(operand: Operand, info: OperandTypeInfo | None) -> None:
    if info is None and not is_extension(operand.type):
        raise invalid(f"unknown operand type {operand.type}", "model/operand.type")


def _check_lifetime(operand: Operand, _info: OperandTypeInfo | None) -> None:
    if operand.lifetime not in _LIFETIMES:
        raise invalid(f"unknown lifetime {operand.lifetime}", "model/operand.lifetime")


def _check_subgraph(operand: Operand, _info: OperandTypeInfo | None) -> None:
    if (operand.type == OperandType.SUBGRAPH) != (operand.lifetime == OperandLifeTime.SUBGRAPH):
        raise invalid("type and lifetime SUBGRAPH go together", "model/operand.subgraph")


def _check_dimensions(operand: Operand, info: OperandTypeInfo | None) -> None:
    if operand.dimensions and not 0 <= min(operand.dimensions) <= max(operand.dimensions) <= MAX_BYTES:
        raise invalid(f"dimensions {operand.dimensions} out of range", "model/operand.dimensions.overflow")
    if info is None or operand.type in OEM_TYPES:
        return
    if not info.is_tensor:
        if operand.dimensions:
            raise invalid(
                f"{type_name(operand.type)} has dimensions {operand.dimensions}",
                "model/operand.dimensions.scalar",
            )
        return
    if operand.lifetime in CONSTANTS and (not operand.dimensions or 0 in operand.dimensions):
        raise invalid(f"constant with dimensions {operand.dimensions}", "model/operand.dimensions.constant")
    if byte_size(operand.type, operand.dimensions) > MAX_BYTES:
        raise invalid(f"dimensions {operand.dimensions} are too large", "model/operand.dimensions.overflow")


def _check_quantization(operand: Operand, info: OperandTypeInfo | None) -> None:
    if operand.type in OEM_TYPES:
        return
    rule, (low, high) = (info.scale, info.zero_point) if info else ("zero", (0, 0))
    if not _SCALE_RULES[rule](operand.scale):
        raise invalid(
            f"scale {operand.scale} of {type_name(operand.type)} must be {rule.replace('_', ' ')}",
            "model/operand.scale",
        )
    if not low <= operand.zero_point <= high:
        raise invalid(
            f"zero point {operand.zero_point} of {type_name(operand.type)} must lie in {low} to {high}",
            "model/operand.zero_point",
        )


def _check_extra_params(operand: Operand, info: OperandTypeInfo | None) -> None:
    params = operand.extra_params
    if operand.type in OEM_TYPES:
        return
    if info is None:
        if params is not None and not isinstance(params, ExtensionParams):
            raise invalid("an extension's operand takes only its own parameters", "model/operand.extra_params")
        return
    per_channel = operand.type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
    if per_channel != isinstance(params, SymmPerChannelQuantParams) or (not per_channel and params is not None):
        raise invalid(f"wrong extra parameters for {type_name(operand.type)}", "model/operand.extra_params")
    if not isinstance(params, SymmPerChannelQuantParams):
        return
    dimension = params.channel_dim
    if not 0 <= dimension < len(operand.dimensions) or operand.dimensions[dimension] == 0:
        raise invalid(f"channel dimension {dimension} does not exist or is unknown", "model/operand.channel_dim")
    # "not above 0" rather than "at most 0", so that NaN fails too.
    if len(params.scales) != operand.dimensions[dimension] or any(not scale > 0 for scale in params.scales):
        raise invalid(
            f"needs {operand.dimensions[dimension]} scales above 0, has {len(params.scales)}",
            "model/operand.channel_scales",
        )


def _check_location(operand: Operand, model: Model) -> None:
    location = operand.location
    if location.padding:
        raise invalid(f"padding {location.padding} in a model", "model/operand.location.padding")
    if min(location.pool_index, location.offset, location.length) < 0:
        raise invalid(f"negative location {location}", "model/operand.location.unused")
    end = location.offset + location.length
    if operand.lifetime == OperandLifeTime.CONSTANT_COPY:
        if location.pool_index or end > len(model.operand_values):
            raise invalid(
                f"bytes {location.offset} to {end} of {len(model.operand_values)} copied bytes",
                "model/operand.location.values",
            )
    elif operand.lifetime == OperandLifeTime.CONSTANT_REFERENCE:
        if location.pool_index >= len(model.pools) or end > memory_size(model.pools[location.pool_index]):
            raise invalid(
                f"bytes {location.offset} to {end} of pool {location.pool_index}",
                "model/operand.location.pool",
            )
    elif operand.lifetime == OperandLifeTime.SUBGRAPH:
        if location.pool_index or location.length or location.offset >= len(model.referenced):
            raise invalid(f"subgraph {location.offset} does not exist", "model/subgraph.reference")
    elif location != _NOWHERE:
        raise invalid(f"has no data but location {location}", "model/operand.location.unused")


def _check_constant_length(operand: Operand, info: OperandTypeInfo | None) -> None:
    if operand.lifetime not in CONSTANTS or info is None or operand.type in OEM_TYPES:
        return
    size = byte_size(operand.type, operand.dimensions)
    if operand.location.length != size:
        raise invalid(
            f"{operand.location.length} bytes, type and dimensions need {size}",
            "model/operand.location.length",
        )


# In this order: of several broken rules the first is named.
_CHECKS: Final = (
    _check_type,
    _check_lifetime,
    _check_subgraph,
    _check_dimensions,
    _check_quantization,
    _check_extra_params,
    _check_constant_length,
)
