"""Values of any origin as plain JSON values, without losing NaN and infinities.

JSON has no NaN and no infinity. A non-finite number is written as one of the strings ``"NaN"``, ``"Infinity"`` and
``"-Infinity"`` (the convention of Protocol Buffers), and exactly these strings are read back as numbers wherever a
number may stand: in :data:`Real` fields and anywhere inside ``evidence``.
"""

import math
from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

if TYPE_CHECKING:
    # Text exists only in the file: structs turn it into numbers when they are made.
    Real = float
else:
    Real = float | Literal["NaN", "Infinity", "-Infinity"]

TRACEBACK: Final = "Traceback (most recent call last):"
"""First line of a traceback of Python."""
_FRAMES_SHOWN: Final = 12
"""Most lines of a traceback that are kept."""

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""Numbers that JSON lacks, by the text that stands for each."""


MOST_LEVELS: Final = 50
"""Most levels of lists and dicts in evidence; whatever goes through it may be recursive, as templates are."""
TOO_DEEP: Final = f"(nested more than {MOST_LEVELS} levels deep)"
"""Text in place of what lies deeper."""


def normalise(value: object, levels: int = MOST_LEVELS) -> Any:
    """Return ``value`` made of None, bool, int, float, str, list and dict only; never fails.

    HAL enumerations become their names, arrays nested lists, bytes hexadecimal text, the three strings of
    :data:`NON_FINITE` numbers, unknown objects their text, and what lies below so many ``levels`` of lists and dicts
    :data:`TOO_DEEP`, because no evidence may break a log or its reports.
    """
    # Exact types first: nearly all values are plain already.
    kind = type(value)
    if kind is str:
        return NON_FINITE.get(value, value)  # type: ignore[call-overload]
    if kind in _PLAIN:
        return value
    if kind is dict:
        return _mapping(value, levels)
    if isinstance(value, str) and not isinstance(value, Enum):
        return NON_FINITE.get(value, str(value))
    for kinds, convert in _CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value, levels)
    return str(value)


_PLAIN = frozenset({type(None), bool, int, float})
"""Types that are JSON already, non-finite floats apart."""


def _sequence(value: Any, levels: int) -> Any:
    return [normalise(item, levels - 1) for item in value] if levels else TOO_DEEP


def _mapping(value: Any, levels: int) -> Any:
    return {str(key): normalise(item, levels - 1) for key, item in value.items()} if levels else TOO_DEEP


# Each gets the value and the levels that are left.
_CONVERSIONS: tuple[tuple[tuple[type, ...], Callable[[Any, int], Any]], ...] = (
    ((IntEnum,), lambda value, _: value.name),
    ((Enum,), lambda value, levels: normalise(value.value, levels)),
    ((int,), lambda value, _: int(value)),
    ((float,), lambda value, _: float(value)),
    ((np.generic, np.ndarray), lambda value, levels: normalise(value.tolist(), levels)),
    ((bytes, bytearray, memoryview), lambda value, _: bytes(value).hex()),
    ((Mapping,), _mapping),
    ((list, tuple), _sequence),
    ((set, frozenset), lambda value, levels: _sequence(sorted(value, key=str), levels)),
)


def json_safe(value: Any) -> Any:
    """Return builtins in a form for JSON: non-finite numbers as text, lone surrogates escaped."""
    if isinstance(value, float):
        return value if math.isfinite(value) else real_text(value)
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(key): json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(item) for item in value]
    return value


def real_text(value: float) -> str:
    """Return the name of a non-finite number, see :data:`NON_FINITE`; a finite number in 9 significant digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value:.9g}"


def printable(text: str) -> str:
    """Return ``text`` that UTF-8 can encode: a driver's output may contain any bytes, and so lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: str) -> str:
    """Return ``text`` on one line, because a driver's output may contain line ends and control codes."""
    return "".join(char if char.isprintable() else " " for char in text)


def spelt(value: Any, *, keep_lines: bool = False) -> Any:
    """Return plain values with each unprintable character in their texts spelt out, such as ESC as its number.

    Services do so with all texts of drivers; files from other people may contain anything. Line ends become spaces,
    unless they are kept together with tabs.
    """
    if isinstance(value, str):
        if value.isprintable():
            return value
        kept = "\n\t" if keep_lines else ""
        return "".join(_spelt(char) if char not in kept else char for char in value)
    if isinstance(value, dict):
        return {spelt(key): spelt(item, keep_lines=keep_lines) for key, item in value.items()}
    return [spelt(item, keep_lines=keep_lines) for item in value] if isinstance(value, list) else value


def spelt_fields(fields: dict[str, Any], *several: str) -> dict[str, Any]:
    """Return a record as :func:`spelt` does; the fields named in ``several`` keep the ends of their lines."""
    return {name: spelt(value, keep_lines=name in several) for name, value in fields.items()}


def _spelt(char: str) -> str:
    if char.isprintable():
        return char
    return " " if char in "\r\n\t" else char.encode("unicode_escape").decode()


def last_traceback(output: str) -> list[str]:
    """Return the last lines of the last Python traceback in a driver's output; empty if there is none."""
    _, begin, frames = output.rpartition(TRACEBACK)
    lines: list[str] = []
    for line in frames.splitlines()[1:] if begin else ():
        lines.append(line)
        if not line.startswith(" "):
            break
    return lines[-_FRAMES_SHOWN:]


def has_float(value: object) -> bool:
    """Return True if a plain value is a floating-point number, or contains one."""
    if isinstance(value, dict):
        return any(map(has_float, value.values()))
    return any(map(has_float, value)) if isinstance(value, list) else isinstance(value, float)
