"""Options of random models of mixed types.

Ids of cases have them as a short text, in which only what differs from the defaults is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_T = OperandType
PRIMARY_TYPES: Final = (
    _T.TENSOR_FLOAT32,
    _T.TENSOR_FLOAT16,
    _T.TENSOR_QUANT8_ASYMM,
    _T.TENSOR_QUANT8_ASYMM_SIGNED,
    _T.TENSOR_INT32,
    _T.TENSOR_BOOL8,
    _T.TENSOR_QUANT16_SYMM,
    _T.TENSOR_QUANT16_ASYMM,
    _T.TENSOR_QUANT8_SYMM,
    _T.TENSOR_QUANT8_SYMM_PER_CHANNEL,
)
"""Types that operations of random graphs have first; most operations take the first four."""
MOST_OPERATIONS: Final = 1000


@dataclass(frozen=True)
class GraphOptions:
    """Bounds are pairs of the least and the most, both included.

    ``types`` are the primary types of operations: what they compare or convert into may have another. ``level`` is the
    highest feature level of an operation. ``only`` these operations occur, all if it is empty. There are no more
    ``inputs`` of the model than that, for every ten operations: the other tensors that nothing computes are constants.
    More than so many ``outputs`` are avoided, not excluded: what nobody reads is one. The rest are probabilities: of
    ``constants`` among the tensors that nothing computes, of a ``relaxed`` model, and of ``boundaries``: an operation
    with ties, values at the ends of ranges, and halves to round. ``unknown`` is the share of dimensions that the model
    does not say, those of its inputs, outputs and what is between them; :func:`unspecified.declared` leaves them out.

    A model begins with the operations of the numbers ``scheduled``, if there are any, none of which reads another
    (:mod:`nnvet.generators.random_graphs.schedule`).

    Of a seeded source most graphs have their first operations in common with others, up to ``remembered``: these are
    made once for all.

    :raises ValueError: a bound that cannot be kept.
    """

    operations: tuple[int, int] = (10, 10)
    dimensions: tuple[int, int] = (1, 10)
    elements: int = 1000
    ranks: tuple[int, ...] = (1, 2, 3, 4, 5)
    types: tuple[OperandType, ...] = PRIMARY_TYPES
    level: int = max(FeatureLevel)
    only: tuple[OperationType, ...] = ()
    inputs: int = 8
    outputs: int = 8
    constants: float = 0.5
    relaxed: float = 0.0
    boundaries: float = 0.1
    unknown: float = 0.0
    remembered: int = 9
    scheduled: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Refuse what no model can be like."""
        for name, (low, high), most in (
            ("operations", self.operations, MOST_OPERATIONS),
            ("dimensions", self.dimensions, MOST_ELEMENTS),
        ):
            if not 1 <= low <= high <= most:
                raise ValueError(f"{name} have to be from 1 to {most}, not from {low} to {high}")
        if not LEAST_ELEMENTS <= self.elements <= MOST_ELEMENTS:
            raise ValueError(f"elements have to be from {LEAST_ELEMENTS} to {MOST_ELEMENTS}, not {self.elements}")
        if self.scheduled is not None:
            first, last = self.scheduled
            if not 0 <= first <= last < first + self.operations[1]:
                raise ValueError(
                    f"{first} to {last} are no numbers of {self.operations[1]} scheduled operations at most"
                )
        if not (self.types and self.ranks and self.inputs > 0 and self.outputs > 0):
            raise ValueError("there has to be a type, a rank, an input and an output")


LEAST_ELEMENTS: Final = 300
"""Every signature finds shapes within so many."""


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
    "scheduled": _RANGE,
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
