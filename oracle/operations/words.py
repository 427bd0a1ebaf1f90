"""Machine words as Python integers."""

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
