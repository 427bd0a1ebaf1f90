"""Operand types of a spec file: both written forms, per-channel scales, and one object for equal types.

The module also has the error of spec files, and the rules of names: unique names within a file, and the parts of the
file's own name.

Source: docs/contract/spec-format.md 2.1, 3 and 9.
"""

from __future__ import annotations

import math
import operator
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, ClassVar, Final

from nnvet.graphs.model import element_type
from nnvet.hal.extensions import known_types
from nnvet.hal.operand_types import ExtensionType, type_info
from nnvet.hal.types import OperandType

_PACKAGES: Final = Path(__file__).parent.parent.parent


def describe(error: BaseException) -> str:
    """Return the text of an exception, with its class unless the language itself has raised it."""
    places = traceback.extract_tb(error.__traceback__)
    is_ours = bool(places) and places[-1].filename.startswith(f"{_PACKAGES}/")
    says_enough = is_ours and str(error) and isinstance(error, (ValueError, TypeError))
    return str(error) if says_enough else f"{type(error).__name__}: {error}".strip(": ")


_WHOLE_NETWORKS: Final = ("mobilenet",)
"""Words in names of files that hold whole networks by the format, the only property that specs give by a name."""


def spec_name(path: PurePath) -> str:
    """Return the prefix of the names of all cases of a file: the file's name up to the first dot."""
    return path.name.partition(".")[0]


def is_whole_network(path: PurePath) -> bool:
    """Return True if the models of a file are whole networks, see :class:`nnvet.graphs.model.Traits`."""
    return any(mark in spec_name(path) for mark in _WHOLE_NETWORKS)


class Names:
    """Names in use. A name that is taken gets the first free number from a given one on."""

    def __init__(self) -> None:
        """Start with no names."""
        self._used: set[str] = set()
        self._next: dict[tuple[str, str], int] = {}

    def unique(self, name: str, separator: str, first: int) -> str:
        """Return ``name`` if it is free, else ``name``, ``separator`` and a number; the result is taken from now on."""
        return self._take(name) if name not in self._used else self.numbered(name, separator, first)

    def numbered(self, name: str, separator: str = "", first: int = 0) -> str:
        """Return a name like :meth:`unique`, but always with a number."""
        # Names are never given back, so numbers passed over once need not be tried again.
        number = self._next.get((name, separator), first)
        while f"{name}{separator}{number}" in self._used:
            number += 1
        self._next[name, separator] = number + 1
        return self._take(f"{name}{separator}{number}")

    def _take(self, name: str) -> str:
        self._used.add(name)
        return name


class Registry:
    """The registries of the file being loaded: operands, types and initialisers share one; tests have theirs."""

    variables: ClassVar[Names] = Names()
    tests: ClassVar[Names] = Names()


class ChannelScales:
    """One scale for each index along ``channelDim``; hidden ones serve conversions of values only."""

    def __init__(self, channelDim: int, scales: Sequence[float], hide: bool = False) -> None:
        """Keep the parameters."""
        self.channel_dim = channelDim
        self.scales = tuple(float(scale) for scale in scales)
        self.hide = hide

    def broadcast_shape(self, rank: int) -> tuple[int, ...]:
        """Return the shape in which the scales multiply a tensor of that rank."""
        return tuple(len(self.scales) if axis == self.channel_dim else 1 for axis in range(rank))


@dataclass(frozen=True, eq=False)
class Type:
    """An operand type; equal types of one file are one object, made by :func:`intern`."""

    table: ClassVar[dict[tuple[Any, ...], Type]] = {}

    type: str
    dimensions: tuple[int, ...]
    scale: float
    zero_point: int
    channel_quant: ChannelScales | None
    extension_data: bytes | None = None

    @cached_property
    def code(self) -> OperandType | ExtensionType:
        """The HAL's or an extension's code."""
        return _types(self.type)[self.type]

    @cached_property
    def is_tensor(self) -> bool:
        """Return True for tensors, and False for scalars."""
        return type_info(self.code).is_tensor

    @cached_property
    def dtype(self) -> str:
        """NumPy name of the element type."""
        return element_type(self.code)

    @cached_property
    def is_float(self) -> bool:
        """True if elements are floating-point numbers."""
        return type_info(self.code).is_float

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.dimensions)

    @property
    def size(self) -> int:
        """Number of elements; 1 without dimensions."""
        return math.prod(self.dimensions)

    def reshaped(self, dimensions: Sequence[int]) -> Type:
        """Return the same type and quantisation with other dimensions, without per-channel scales."""
        return intern(self.type, dimensions, self.scale, self.zero_point, extension_data=self.extension_data)


def _types(name: str) -> Mapping[str, OperandType | ExtensionType]:
    """Return the operand types among which a name is looked up."""
    return known_types() if "::" in name else OperandType.__members__


def intern(
    kind: str,
    dimensions: Sequence[int],
    scale: float = 0.0,
    zero_point: int = 0,
    *,
    channel_quant: ChannelScales | None = None,
    extension_data: bytes | None = None,
) -> Type:
    """Return the only :class:`Type` with these parts.

    :raises ValueError: no such type. :raises TypeError: dimensions are not a list of integers.
    """
    if not isinstance(dimensions, (list, tuple)):
        raise TypeError(f"dimensions must be a list or tuple, not {dimensions!r}")
    dimensions = tuple(operator.index(dimension) for dimension in dimensions)
    key = (kind, dimensions, float(scale), int(zero_point), channel_quant, extension_data)
    if key not in Type.table:
        if kind not in _types(kind):
            raise ValueError(f"there is no operand type {kind!r}")
        if min(dimensions, default=0) < 0:
            raise ValueError(f"dimensions {list(dimensions)} must not be negative")
        Type.table[key] = Type(*key)
        # A type occupies a name, too: otherwise operands of the same name, and so cases, would be numbered differently.
        Registry.variables.numbered("type")
    return Type.table[key]


def parse_shape(text: str) -> tuple[list[int], float, int]:
    """Return dimensions, scale and zero point of the written form ``{d0, d1}, scale, zeroPoint``.

    An ``f`` behind the scale is allowed only where a zero point follows.

    :raises ValueError: anything else.
    """
    if text in {"", "{}"}:
        return [], 0.0, 0
    head, _, tail = text.partition("}")
    dimensions = [int(dimension) for dimension in head.partition("{")[2].split(",")]
    match tail.split(",")[1:]:
        case []:
            return dimensions, 0.0, 0
        case [scale]:
            return dimensions, float(scale), 0
        case [scale, zero_point]:
            return dimensions, float(scale.replace("f", "")), int(zero_point)
        case _:
            raise ValueError(f"too many parts in operand shape {text!r}")


def read_type(arguments: tuple[Any, ...], extra: ChannelScales | bytes | None) -> tuple[Type, tuple[Any, ...], bool]:
    """Return the type in an operand's arguments behind its name, the remaining arguments, True for the tuple form.

    :raises ValueError: a malformed shape. :raises TypeError: no type, or one with too many parts.
    """
    if not arguments:
        raise TypeError("an operand needs a type")
    first, *rest = arguments
    if isinstance(first, str):
        shape = rest.pop(0) if rest else ""
        try:
            return intern(first, *parse_shape(shape), **_extra(extra)), tuple(rest), False
        except ValueError as error:
            raise ValueError(f"bad operand type {first!r}, {shape!r}: {error}") from error
    return intern_tuple(first, extra), tuple(rest), True


def _extra(extra: ChannelScales | bytes | None) -> dict[str, Any]:
    return {"extension_data" if isinstance(extra, bytes) else "channel_quant": extra}


def intern_tuple(parts: Any, extra: ChannelScales | bytes | None = None) -> Type:
    """Return the type of the written form ``(type, dimensions[, scale[, zeroPoint]])``.

    :raises TypeError: it is not a tuple or list of two to four parts.
    """
    if not isinstance(parts, (list, tuple)) or len(parts) not in {2, 3, 4}:
        raise TypeError(f"an operand type is (type, dimensions[, scale[, zeroPoint]]), not {parts!r}")
    return intern(*parts, **_extra(extra))
