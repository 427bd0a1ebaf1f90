"""The phones that the speech networks know, and espeak-ng's mnemonics for them.

``corpus`` turns espeak-ng's phonemes into classes by it, for both tasks; ``build`` stores the names beside the models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

SILENCE: Final = 0
"""Class of silence."""
_MNEMONICS: Final[dict[str, str]] = {
    "sil": "_: _ _! _| ?",
    "iy": "i: i",
    "ih": "I I2 I#",
    "eh": "E",
    "ae": "a aa",
    "aa": "0 A:",
    "ao": "O: O2 O",
    "ah": "V @ @2 a#",
    "uh": "U",
    "uw": "u: u",
    "er": "3: 3",
    "ey": "eI",
    "ay": "aI aI@ aI3",
    "oy": "OI",
    "aw": "aU aU@",
    "ow": "oU",
    "ehr": "e@",
    "ihr": "i@3 i@",
    "aar": "A@",
    "aor": "O@ o@ U@",
    "p": "p",
    "b": "b",
    "t": "t t2",
    "d": "d t#",
    "k": "k",
    "g": "g",
    "f": "f",
    "v": "v",
    "th": "T",
    "dh": "D",
    "s": "s",
    "z": "z",
    "sh": "S",
    "zh": "Z",
    "ch": "tS",
    "jh": "dZ",
    "m": "m",
    "n": "n n-",
    "ng": "N",
    "l": "l @L",
    "r": "r r-",
    "w": "w",
    "y": "j",
    "hh": "h",
}
"""espeak-ng's mnemonics of each phone; it tells more phones apart than listeners do, such as reduced vowels, linking r,
syllabic l and n, and the tapped t."""
PHONES: Final = tuple(_MNEMONICS)
"""Names of the phones in the order of their classes."""
CLASSES: Final = {mnemonic: index for index, names in enumerate(_MNEMONICS.values()) for mnemonic in names.split()}
"""Class of the phone that each of espeak-ng's mnemonics stands for."""
_NO_SOUND: Final = frozenset({";"})
"""Marks a palatal glide; the phone before it goes on."""


def phone_intervals(phonemes: Sequence[tuple[str, int]], end: int) -> list[tuple[int, int, int]]:
    """Return (class, first sample, sample behind the last) of each phone, gapless from 0 to ``end``.

    Silence is at the edges. Adjacent intervals of one class are one interval: nobody hears where one s ends and the
    next begins.

    :raises KeyError: for a mnemonic that no phone has.
    """
    marks = [(0, SILENCE)] + [(first, CLASSES[name]) for name, first in phonemes if name not in _NO_SOUND]
    ends = [first for first, _ in marks[1:]] + [end]
    intervals: list[tuple[int, int, int]] = []
    for (first, number), last in zip(marks, ends, strict=True):
        if last <= first:
            continue
        if intervals and intervals[-1][0] == number:
            intervals[-1] = (number, intervals[-1][1], last)
        else:
            intervals.append((number, first, last))
    return intervals


def labels_at(intervals: Sequence[tuple[int, int, int]], positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the class of the phone at each sample; silence behind the end."""
    ends = np.array([last for _, _, last in intervals])
    classes = np.array([number for number, _, _ in intervals] + [SILENCE])
    found: npt.NDArray[np.int64] = classes[np.searchsorted(ends, positions, side="right")]
    return found


def spoken(intervals: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the phones that are said, without silence."""
    return [number for number, _, _ in intervals if number != SILENCE]
