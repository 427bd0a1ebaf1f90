"""FarmHash Fingerprint64 of one byte string in plain Python integers, from the public algorithm (farmhashna).

Machine words as Python integers.
"""

from __future__ import annotations

MASK32 = 2**32 - 1
MASK64 = 2**64 - 1


def rotate64(value: int, by: int) -> int:
    """A 64-bit word rotated to the right; what exceeds 64 bits is dropped first."""
    value &= MASK64
    return (value >> by) | (value << (64 - by)) & MASK64


def signed(value: int, bits: int) -> int:
    """A word read as a two's complement number."""
    value &= 2**bits - 1
    return value - 2**bits if value >= 2 ** (bits - 1) else value


K0 = 0xC3A5C85C97CB3127
K1 = 0xB492B66FBE98F273
K2 = 0x9AE16A3B2F90404F


def word(key: bytes, start: int, length: int = 8) -> int:
    """A little-endian integer out of the key."""
    return int.from_bytes(key[start : start + length], "little")


def shift_mix(value: int) -> int:
    """The value with its high bits mixed into the low ones."""
    return value ^ (value >> 47)


def hash_16(u: int, v: int, multiplier: int) -> int:
    """Two words to one."""
    a = shift_mix(((u ^ v) * multiplier) & MASK64)
    b = shift_mix(((v ^ a) * multiplier) & MASK64)
    return (b * multiplier) & MASK64


def fingerprint64(key: bytes) -> int:
    """The fingerprint, 0 to 2^64 - 1."""
    if len(key) <= 16:
        return _to_16(key)
    if len(key) <= 32:
        return _to_32(key)
    if len(key) <= 64:
        return _to_64(key)
    return _over_64(key)


def _to_16(key: bytes) -> int:
    length = len(key)
    if length >= 8:
        multiplier = (K2 + length * 2) & MASK64
        a = word(key, 0) + K2
        b = word(key, length - 8)
        c = rotate64(b, 37) * multiplier + a
        d = (rotate64(a, 25) + b) * multiplier
        return hash_16(c & MASK64, d & MASK64, multiplier)
    if length >= 4:
        multiplier = (K2 + length * 2) & MASK64
        return hash_16(length + (word(key, 0, 4) << 3), word(key, length - 4, 4), multiplier)
    if length > 0:
        y = key[0] + (key[length >> 1] << 8)
        z = length + (key[length - 1] << 2)
        return (shift_mix(((y * K2) ^ (z * K0)) & MASK64) * K2) & MASK64
    return K2


def _to_32(key: bytes) -> int:
    length = len(key)
    multiplier = (K2 + length * 2) & MASK64
    a = word(key, 0) * K1
    b = word(key, 8)
    c = word(key, length - 8) * multiplier
    d = word(key, length - 16) * K2
    u = rotate64(a + b, 43) + rotate64(c, 30) + d
    v = a + rotate64(b + K2, 18) + c
    return hash_16(u & MASK64, v & MASK64, multiplier)


def _to_64(key: bytes) -> int:
    length = len(key)
    multiplier = (K2 + length * 2) & MASK64
    a = word(key, 0) * K2
    b = word(key, 8)
    c = word(key, length - 8) * multiplier
    d = word(key, length - 16) * K2
    y = (rotate64(a + b, 43) + rotate64(c, 30) + d) & MASK64
    z = hash_16(y, (a + rotate64(b + K2, 18) + c) & MASK64, multiplier)
    e = word(key, 16) * multiplier
    f = word(key, 24)
    g = (y + word(key, length - 32)) * multiplier
    h = (z + word(key, length - 24)) * multiplier
    u = rotate64(e + f, 43) + rotate64(g, 30) + h
    v = e + rotate64(f + a, 18) + g
    return hash_16(u & MASK64, v & MASK64, multiplier)


def _weak_32(key: bytes, start: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (word(key, start + 8 * i) for i in range(4))
    a += w
    b = rotate64(b + a + z, 21)
    c = a
    a += x + y
    b += rotate64(a, 44)
    return (a + z) & MASK64, (b + c) & MASK64


def _over_64(key: bytes) -> int:
    x = 81
    y = (81 * K1 + 113) & MASK64
    z = (shift_mix((y * K2 + 113) & MASK64) * K2) & MASK64
    v, w = (0, 0), (0, 0)
    x = (x * K2 + word(key, 0)) & MASK64
    start = 0
    while len(key) - start > 64:
        x = rotate64(x + y + v[0] + word(key, start + 8), 37) * K1 & MASK64
        y = rotate64(y + v[1] + word(key, start + 48), 42) * K1 & MASK64
        x ^= w[1]
        y = (y + v[0] + word(key, start + 40)) & MASK64
        z = rotate64(z + w[0], 33) * K1 & MASK64
        v = _weak_32(key, start, v[1] * K1, x + w[0])
        w = _weak_32(key, start + 32, z + w[1], y + word(key, start + 16))
        z, x = x, z
        start += 64
    start = len(key) - 64
    multiplier = (K1 + ((z & 0xFF) << 1)) & MASK64
    w0 = w[0] + ((len(key) - 1) & 63)
    v0 = v[0] + w0
    w0 += v0
    x = rotate64(x + y + v0 + word(key, start + 8), 37) * multiplier & MASK64
    y = rotate64(y + v[1] + word(key, start + 48), 42) * multiplier & MASK64
    x = (x ^ w[1] * 9) & MASK64
    y = (y + v0 * 9 + word(key, start + 40)) & MASK64
    z = rotate64(z + w0, 33) * multiplier & MASK64
    v = _weak_32(key, start, v[1] * multiplier, x + w0)
    w = _weak_32(key, start + 32, z + w[1], y + word(key, start + 16))
    z, x = x, z
    first = hash_16(v[0], w[0], multiplier) + shift_mix(y) * K0 + z
    second = hash_16(v[1], w[1], multiplier) + x
    return hash_16(first & MASK64, second & MASK64, multiplier)
