"""Dictionaries have all codes of the contract in the form that each format has them in."""

import random
from pathlib import Path

import pytest

from nnvet.fuzz.corpus_files import dictionary_file
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.steps import raw_mutation
from nnvet.hal.enums import OperandType, OperationType
from nnvet.transport.wire.methods import METHODS

CODES = {*map(int, OperationType), *map(int, OperandType)}
LITTLE = ("tflite", "burst", "cache")


@pytest.mark.parametrize("name", LITTLE)
def test_files_and_packets_have_codes_in_four_bytes(name: str) -> None:
    """Every operation code and operand type, and extreme numbers, least byte first."""
    words = set(HARNESSES[name].words())
    assert {code.to_bytes(4, "little") for code in CODES} <= words
    # 2^31 - 1, -2^31 and 2^32 - 1 (which is -1, too), 1.0, infinity, 2^63 by hand.
    assert {
        b"\xff\xff\xff\x7f",
        b"\x00\x00\x00\x80",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x80\x3f",
        b"\x00\x00\x80\x7f",
        b"\x00\x00\x00\x00\x00\x00\x00\x80",
    } <= words


def packed(value: int | str) -> bytes:
    """A number that is not negative and below 2^16, or a short name, by the format's specification."""
    if isinstance(value, str):
        return (bytes([0xA0 | len(value)]) if len(value) < 32 else bytes([0xD9, len(value)])) + value.encode()
    if value < 0x80:
        return bytes([value])
    return bytes([0xCC, value]) if value < 0x100 else bytes([0xCD, value >> 8, value & 0xFF])


def test_frames_have_codes_and_methods_as_messagepack() -> None:
    """Every code and method, and a header."""
    words = set(HARNESSES["frames"].words())
    assert {packed(value) for value in (*CODES, *METHODS)} <= words
    # An empty payload's header: its length, no descriptors, the magic number 0x564E.
    assert b"\x00\x00\x00\x00\x00\x00\x4e\x56" in words


@pytest.mark.parametrize("name", HARNESSES)
def test_dictionaries_are_files_that_libfuzzer_reads(tmp_path: Path, name: str) -> None:
    """A quoted word a line, of printable characters and escapes; as many as there are words."""
    file = dictionary_file(HARNESSES[name], tmp_path)
    words = {word for word in HARNESSES[name].words() if word}
    assert (file is None) == (not words)
    lines = file.read_text(encoding="ascii").splitlines() if file else []
    read = [line[1:-1].encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]
    assert all(line[0] == line[-1] == '"' for line in lines)
    assert set(read) == words
    assert len(read) == len(words)


def test_words_are_put_in_by_mutators_of_harnesses() -> None:
    """One change of bytes in five or so is a word."""
    data = bytes(16)
    changed = [raw_mutation(data, 32, seed, (b"word",)) for seed in range(200)]
    assert 20 <= sum(b"word" in mutated for mutated in changed) <= 60
    assert all(b"word" not in raw_mutation(data, 32, random.Random(seed).randrange(2**32)) for seed in range(50))
