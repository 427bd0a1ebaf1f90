"""FarmHash Fingerprint64 (the "na" variant) of many keys of one length at once.

Written from the public algorithm. Arrays are uint64 and wrap; a key is a row of bytes.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]
Keys: TypeAlias = npt.NDArray[np.uint8]

_MASK = 2**64 - 1
_K0 = np.uint64(0xC3A5C85C97CB3127)
_K1 = np.uint64(0xB492B66FBE98F273)
_K2 = np.uint64(0x9AE16A3B2F90404F)
_BLOCK = 64


def fingerprint64(keys: Keys) -> Words:
    """One fingerprint for each row of ``keys``, an array of shape [number of keys, length of a key].

    A key has at least 4 bytes.
    """
    length = keys.shape[1]
    with np.errstate(over="ignore"):
        if length > _BLOCK:
            return _long(keys)
        if length > 32:
            return _up_to_64(keys)
        if length > 16:
            return _up_to_32(keys)
        return _up_to_16(keys)


def _fetch(keys: Keys, start: int) -> Words:
    return np.ascontiguousarray(keys[:, start : start + 8]).view("<u8")[:, 0]


def _fetch32(keys: Keys, start: int) -> Words:
    return np.ascontiguousarray(keys[:, start : start + 4]).view("<u4")[:, 0].astype(np.uint64)


def _rotate(value: Words, shift: int) -> Words:
    return value >> np.uint64(shift) | value << np.uint64(64 - shift)


def _mix(value: Words) -> Words:
    return value ^ value >> np.uint64(47)


def _combine(u: Words, v: Words, multiplier: Words | np.uint64) -> Words:
    a = _mix((u ^ v) * multiplier)
    return _mix((v ^ a) * multiplier) * multiplier


def _multiplier(length: int) -> np.uint64:
    return np.uint64((int(_K2) + 2 * length) & _MASK)


def _up_to_16(keys: Keys) -> Words:
    length = keys.shape[1]
    multiplier = _multiplier(length)
    if length >= 8:
        a = _fetch(keys, 0) + _K2
        b = _fetch(keys, length - 8)
        return _combine(_rotate(b, 37) * multiplier + a, (_rotate(a, 25) + b) * multiplier, multiplier)
    u = np.uint64(length) + (_fetch32(keys, 0) << np.uint64(3))
    return _combine(u, _fetch32(keys, length - 4), multiplier)


def _up_to_32(keys: Keys) -> Words:
    length = keys.shape[1]
    multiplier = _multiplier(length)
    a = _fetch(keys, 0) * _K1
    b = _fetch(keys, 8)
    c = _fetch(keys, length - 8) * multiplier
    d = _fetch(keys, length - 16) * _K2
    return _combine(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, multiplier)


def _up_to_64(keys: Keys) -> Words:
    length = keys.shape[1]
    multiplier = _multiplier(length)
    a = _fetch(keys, 0) * _K2
    b = _fetch(keys, 8)
    c = _fetch(keys, length - 8) * multiplier
    d = _fetch(keys, length - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _combine(y, a + _rotate(b + _K2, 18) + c, multiplier)
    e = _fetch(keys, 16) * multiplier
    f = _fetch(keys, 24)
    g = (y + _fetch(keys, length - 32)) * multiplier
    h = (z + _fetch(keys, length - 24)) * multiplier
    return _combine(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, multiplier)


def _weak(keys: Keys, start: int, a: Words, b: Words) -> tuple[Words, Words]:
    """A weak hash of 32 bytes with two seeds."""
    w, x, y, z = (_fetch(keys, start + at) for at in (0, 8, 16, 24))
    a = a + w
    b = _rotate(b + a + z, 21)
    total = a + x + y
    return total + z, b + _rotate(total, 44) + a


def _long(keys: Keys) -> Words:
    count, length = keys.shape
    x, y = np.full(count, 81, np.uint64), np.full(count, (81 * int(_K1) + 113) & _MASK, np.uint64)
    z = _mix(y * _K2 + np.uint64(113)) * _K2
    v = w = (np.zeros(count, np.uint64), np.zeros(count, np.uint64))
    x = x * _K2 + _fetch(keys, 0)
    for start in range(0, length - 1 - (length - 1) % _BLOCK, _BLOCK):
        x, y, z, v, w = _round(keys, start, (x, y, z, v, w), _K1, 1)
    multiplier = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    w = (w[0] + np.uint64((length - 1) % _BLOCK), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x, y, z, v, w = _round(keys, length - _BLOCK, (x, y, z, v, w), multiplier, 9)
    return _combine(
        _combine(v[0], w[0], multiplier) + _mix(y) * _K0 + z, _combine(v[1], w[1], multiplier) + x, multiplier
    )


_State: TypeAlias = tuple[Words, Words, Words, tuple[Words, Words], tuple[Words, Words]]


def _round(keys: Keys, start: int, state: _State, multiplier: Words | np.uint64, weight: int) -> _State:
    """One block of 64 bytes; the last block has a multiplier of its own and weighs ``v`` and ``w``."""
    x, y, z, v, w = state
    scale = np.uint64(weight)
    x = _rotate(x + y + v[0] + _fetch(keys, start + 8), 37) * multiplier
    y = _rotate(y + v[1] + _fetch(keys, start + 48), 42) * multiplier
    x = x ^ w[1] * scale
    y = y + v[0] * scale + _fetch(keys, start + 40)
    z = _rotate(z + w[0], 33) * multiplier
    v = _weak(keys, start, v[1] * multiplier, x + w[0])
    w = _weak(keys, start + 32, z + w[1], y + _fetch(keys, start + 16))
    return z, y, x, v, w
