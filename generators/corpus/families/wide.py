"""Spec files with indices too large for 16 bits: each example finds one element far from the first among zeros.

The model itself makes the zeros, so that the files stay small. Expected values follow from the paddings.

``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.generators.corpus import emitter

PLACES: Final = {"beyond_15_bits": 39_999, "beyond_16_bits": 70_000}
"""Index of the element by name of the example. Neither fits in signed 16 bits; the first one fits in unsigned ones."""
BEHIND: Final = 3
"""Number of zeros behind the element that an example finds."""
VALUES: Final = [1.5, 2.5]
"""Value of the element in each of two rows."""


def _example(
    name: str, place: int, call: emitter.SpecCall, operands: Mapping[str, emitter.Operand]
) -> emitter.SpecExample:
    rows = {
        "x": emitter.SpecTensor(emitter.F32, [2, 1], VALUES),
        "paddings": emitter.parameter(emitter.INT32, [2, 2], [0, 0, place, BEHIND]),
        "padded": emitter.SpecTensor(emitter.F32, [2, place + 1 + BEHIND], [], role="Internal"),
    }
    calls = [emitter.SpecCall("PAD", ["x", "paddings"], ["padded"]), call]
    return emitter.SpecExample(f"{call.type.lower()}_{name}", {**rows, **operands}, calls, emitter.HALF + emitter.ONCE)


def _examples(name: str, place: int) -> list[emitter.SpecExample]:
    found = emitter.result(emitter.INT32, [2], [place, place])
    top = {
        "values": emitter.result(emitter.F32, [2, 1], VALUES),
        "places": emitter.result(emitter.INT32, [2, 1], [place, place]),
    }
    indices = emitter.parameter(emitter.INT32, [3], [place, place - 1, place])
    taken = emitter.result(emitter.F32, [2, 3], [VALUES[0], 0.0, VALUES[0], VALUES[1], 0.0, VALUES[1]])
    return [
        emitter.to_the_unit(
            _example(name, place, emitter.SpecCall("ARGMAX", ["padded", "1"], ["found"]), {"found": found})
        ),
        emitter.to_the_unit(
            _example(name, place, emitter.SpecCall("TOPK_V2", ["padded", "1"], ["values", "places"]), top)
        ),
        _example(
            name,
            place,
            emitter.SpecCall("GATHER", ["padded", "1", "indices"], ["taken"]),
            {"indices": indices, "taken": taken},
        ),
    ]


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family."""
    examples = [example for name, place in PLACES.items() for example in _examples(name, place)]
    return [emitter.EmittedFile("V1_2", "wide_indices", examples)]
