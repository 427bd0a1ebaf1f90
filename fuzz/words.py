"""Dictionaries for the fuzzer, made from the contract: byte sequences that mean something to the code under test.

A word is a number or a name as it stands in a file, a packet or a frame. libFuzzer gets them as ``-dict``; harnesses
with a mutator of their own insert words by :func:`nnvet.fuzz.steps.raw_mutation`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from nnvet.formats.tflite.schema import FILE_IDENTIFIER, OPERATOR_CODES
from nnvet.fuzz.extremes import ENDS, INTEGERS, REALS, ZERO_POINTS
from nnvet.fuzz.model.mutating import enumerated_values
from nnvet.hal.enums import BYTE_SIZE_OF_CACHE_TOKEN, MAX_NUMBER_OF_CACHE_FILES, OperandLifeTime
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import declarations
from nnvet.transport.wire.framing import HEADER, MAGIC, MAX_ANSWER, MAX_PAYLOAD
from nnvet.transport.wire.methods import METHODS

_LIMITS: Final = (2**32 - 1, BYTE_SIZE_OF_CACHE_TOKEN, MAX_NUMBER_OF_CACHE_FILES)
"""Ends of ranges that are in no table: of 32-bit numbers, the size of a token, and the number of cache files."""
_WORD: Final = 2**32
"""Numbers from here on need a word of 64 bits."""
_NEGATIVE: Final = -(2**31)
"""Lowest number of a word of 32 bits."""


@cache
def contract_numbers() -> tuple[int, ...]:
    """Return the numbers of the contract, each of them once.

    They are codes of operations, types and lifetimes, legal values of attributes, the ends of zero points and of other
    ranges, the neighbours of all these numbers, and extreme integers.
    """
    ends = {end for info in OPERAND_TYPES.values() for end in info.zero_point}
    exact = {*map(int, declarations()), *map(int, OPERAND_TYPES), *map(int, OperandLifeTime)}
    bounds = {*ends, *_LIMITS, *_ranks(), max(declarations()), max(OPERAND_TYPES)}
    near = {bound + step for bound in bounds for step in (-1, 0, 1)}
    return tuple(sorted(exact | near | {*enumerated_values(), *INTEGERS, *ZERO_POINTS, *ENDS}))


def _ranks() -> Iterator[int]:
    """Yield the lowest and highest ranks of operands."""
    for declaration in declarations().values():
        for signature in declaration.signatures:
            for formal in signature.inputs:
                yield from (end for end in formal.rank or () if end is not None)


def binary_words() -> Iterator[bytes]:
    """Return little-endian words of 32 bits, of 64 where a number needs them, and 32-bit floating-point numbers."""
    for number in contract_numbers():
        size = 4 if _NEGATIVE <= number < _WORD else 8
        yield (number % (1 << (8 * size))).to_bytes(size, "little")
    for real in REALS:
        yield struct.pack("<f", real)


def file_words() -> Iterator[bytes]:
    """Return words of model files: the identifier, codes of operators, also as one byte, and the contract's numbers."""
    yield FILE_IDENTIFIER
    for code in OPERATOR_CODES.values():
        yield code.to_bytes(4, "little")
    yield from binary_words()


def wire_words() -> Iterator[bytes]:
    """Return words of the connection to a service: methods, numbers in MessagePack, and headers."""
    for name in METHODS:
        yield msgspec.msgpack.encode(name)
    for number in contract_numbers():
        yield msgspec.msgpack.encode(number)
    for real in REALS:
        yield msgspec.msgpack.encode(real)
    for size in (0, 1, MAX_ANSWER, MAX_PAYLOAD, MAX_PAYLOAD + 1, 2**32 - 1):
        yield HEADER.pack(size, 0, MAGIC)
