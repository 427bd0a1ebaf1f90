"""Options of random models as a short text, which ids of cases have: only what differs from the defaults is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Final, NamedTuple

from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.enums import OperandType, OperationType

DEFAULT: Final = "default"
"""The text of options that differ in nothing."""
_DEFAULTS: Final = GraphOptions()
_PREFIX: Final = "TENSOR_"


class _Form(NamedTuple):
    to_text: Callable[[Any], str]
    from_text: Callable[[str], Any]


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def _types(text: str) -> tuple[OperandType, ...]:
    return tuple(type_of(name) for name in text.split("+"))


def type_of(text: str) -> OperandType:
    """The tensor type of a short name such as ``float32`` or ``quant8_asymm``.

    :raises ValueError: there is none.
    """
    try:
        return OperandType[_PREFIX + text.upper()]
    except KeyError:
        raise ValueError(f"there is no tensor type {text!r}") from None


def _mask(operations: Iterable[OperationType]) -> str:
    return f"{sum(1 << operation for operation in operations):x}"


def _operations(text: str) -> tuple[OperationType, ...]:
    mask = int(text, 16)
    return tuple(operation for operation in OperationType if mask >> operation & 1)


_RANGE: Final = _Form(lambda pair: f"{pair[0]}-{pair[1]}", _range)
_NUMBER: Final = _Form(str, int)
_REAL: Final = _Form(lambda value: repr(float(value)), float)
_FORMS: Final[Mapping[str, _Form]] = {
    "operations": _RANGE,
    "dimensions": _RANGE,
    "elements": _NUMBER,
    "ranks": _Form(lambda ranks: "+".join(map(str, ranks)), lambda text: tuple(int(rank) for rank in text.split("+"))),
    "types": _Form(lambda kinds: "+".join(kind.name.removeprefix(_PREFIX).lower() for kind in kinds), _types),
    "level": _NUMBER,
    # A hundred names would make ids of which nobody sees the end: bit N is operation N.
    "only": _Form(_mask, _operations),
    "inputs": _NUMBER,
    "outputs": _NUMBER,
    "constants": _REAL,
    "relaxed": _REAL,
    "boundaries": _REAL,
    "unknown": _REAL,
    "remembered": _NUMBER,
}


def text_of(options: GraphOptions) -> str:
    """Such as ``operations=1-5,types=float32+int32``; ``only`` is a mask in hexadecimal, bit N for operation N."""
    named = [
        f"{field.name}={_FORMS[field.name].to_text(getattr(options, field.name))}"
        for field in fields(options)
        if getattr(options, field.name) != getattr(_DEFAULTS, field.name)
    ]
    return ",".join(named) or DEFAULT


def options_of(text: str) -> GraphOptions:
    """The options of a text.

    :raises ValueError: it is none, or says what no model can be like.
    """
    if text == DEFAULT:
        return _DEFAULTS
    values: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _FORMS:
            raise ValueError(f"random models have no option {name!r}")
        values[name] = _FORMS[name].from_text(value)
    return GraphOptions(**values)
