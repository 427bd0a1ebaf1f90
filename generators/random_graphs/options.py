"""Options of random models of mixed types: :class:`GraphOptions`, and their form as text.

The id of a case contains its options as a short text (:func:`text_of`), which names only those that differ from the
defaults; :func:`options_of` reads it, so that the model can be made again. ``models.py`` makes models from options, and
``schedule.py`` varies them in a campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple, cast

from nnvet.generators.random_graphs.shapes import MOST_ELEMENTS
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType
from nnvet.hal.extensions import known_operations, known_types
from nnvet.hal.operand_types import is_extension

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
"""Possible types of the first operand of operations in random graphs; most operations support the first four."""
MOST_OPERATIONS: Final = 1000
"""Largest number of operations of a model that a user can ask for."""


@dataclass(frozen=True)
class GraphOptions:
    """Bounds and probabilities for random models. Bounds are pairs of minimum and maximum, both included.

    ``types`` are the primary types of operations; the results of comparisons and conversions may have another one.
    ``level`` is the highest feature level of an operation. If ``only`` is not empty, no other operations occur;
    codes of extensions may be among them.

    ``inputs`` is the maximal number of model inputs for every ten operations; all other tensors that no operation
    computes are constants. ``outputs`` is the number of outputs to aim at: there may be more, since every tensor that
    no operation reads is an output.

    The following are probabilities: ``constants`` that a tensor that no operation computes is a constant, ``relaxed``
    that the model is relaxed, ``boundaries`` that an operation gets equal values, values at the ends of ranges, and
    values half-way between two codes. ``unknown`` is the share of dimensions of inputs, outputs and temporaries that
    the model leaves unspecified (:func:`nnvet.generators.random_graphs.generate.declared`).

    ``scheduled`` are the first and the last number of the cells with which the model begins, if any
    (:mod:`nnvet.generators.random_graphs.schedule`).

    With a seeded chooser most graphs share their first operations, at most ``remembered`` of them, with other graphs.
    Shared operations are made only once, which saves time.

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
        """Refuse options that no model can fulfil."""
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
"""Smallest limit on the number of elements with which every signature finds shapes."""


DEFAULT: Final = "default"
"""Text of the default options."""
_DEFAULTS: Final = GraphOptions()
_PREFIX: Final = "TENSOR_"


class _Conversion(NamedTuple):
    """Conversion of an option's value to text and back."""

    to_text: Callable[[Any], str]
    from_text: Callable[[str], Any]


def _read_range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def _read_types(text: str) -> tuple[OperandType, ...]:
    return tuple(type_of(name) for name in text.split("+"))


def type_of(text: str) -> OperandType:
    """Return the tensor type of a short name such as ``float32`` or ``quant8_asymm``, or an extension's by its name.

    :raises ValueError: no type has that name.
    """
    name = _PREFIX + text.upper()
    try:
        return cast("OperandType", known_types()[text]) if "::" in text else OperandType[name]
    except KeyError:
        raise ValueError(f"there is no tensor type {text!r}") from None


def _write_type(kind: OperandType) -> str:
    return kind.name if is_extension(kind) else kind.name.removeprefix(_PREFIX).lower()


def _write_operations(operations: Collection[OperationType]) -> str:
    of_extensions = [operation for operation in operations if is_extension(operation)]
    mask = sum(1 << operation for operation in operations if not is_extension(operation))
    return "+".join([f"{mask:x}", *(operation.name for operation in of_extensions)])


def _read_operations(text: str) -> tuple[OperationType, ...]:
    digits, *names = text.split("+")
    mask = int(digits, 16)
    return (
        *(operation for operation in OperationType if mask >> operation & 1),
        *map(_find_extension_operation, names),
    )


def _find_extension_operation(name: str) -> OperationType:
    try:
        return cast("OperationType", known_operations()[name])
    except KeyError:
        raise ValueError(f"no extension has an operation {name!r}") from None


_RANGE: Final = _Conversion(lambda pair: f"{pair[0]}-{pair[1]}", _read_range)
_NUMBER: Final = _Conversion(str, int)
_REAL: Final = _Conversion(lambda value: repr(float(value)), float)
_CONVERSIONS: Final[Mapping[str, _Conversion]] = {
    "operations": _RANGE,
    "dimensions": _RANGE,
    "elements": _NUMBER,
    "ranks": _Conversion(
        lambda ranks: "+".join(map(str, ranks)), lambda text: tuple(int(rank) for rank in text.split("+"))
    ),
    "types": _Conversion(lambda kinds: "+".join(map(_write_type, kinds)), _read_types),
    "level": _NUMBER,
    # A hundred names would make ids too long to read, so bit N stands for operation N. Those of extensions follow.
    "only": _Conversion(_write_operations, _read_operations),
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
    """Return a text such as ``operations=1-5,types=float32+int32``; ``only`` is a hexadecimal mask of operations."""
    named = [
        f"{field.name}={_CONVERSIONS[field.name].to_text(getattr(options, field.name))}"
        for field in fields(options)
        if getattr(options, field.name) != getattr(_DEFAULTS, field.name)
    ]
    return ",".join(named) or DEFAULT


def options_of(text: str) -> GraphOptions:
    """Return the options of a text.

    :raises ValueError: the text is malformed, or no model can fulfil its options.
    """
    if text == DEFAULT:
        return _DEFAULTS
    values: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _CONVERSIONS:
            raise ValueError(f"random models have no option {name!r}")
        values[name] = _CONVERSIONS[name].from_text(value)
    return GraphOptions(**values)
