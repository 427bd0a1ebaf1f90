"""Scales and probabilities are 32-bit floats, whoever makes the structure that has them."""

import gc
import math
import struct

import msgspec
import pytest
from msgspec.structs import replace

from nnvet.hal.operand_types import OperandType
from nnvet.hal.types import BufferRole, Operand, OperandLifeTime, SymmPerChannelQuantParams
from nnvet.hal.validation import broken_rules, validate_model
from tests.adapters.models import add_model

CODES = OperandType.TENSOR_QUANT8_ASYMM


def as_float32(number: float) -> float:
    """The nearest 32-bit float."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


@pytest.mark.parametrize("number", [0.0, 0.5, 0.1, -0.1, 1 / 3, 2.0**-149, 5e-312, 3.4e38])
def test_a_scale_is_a_float(number: float) -> None:
    """As it is made, changed and read from the wire; one below all 32-bit floats is 0."""
    rounded = as_float32(number)
    made = Operand(CODES, scale=number)
    decoded = msgspec.msgpack.decode(msgspec.msgpack.encode({"type": 5, "scale": number}), type=Operand)
    changed = replace(Operand(CODES, scale=7.0), scale=number)
    assert [operand.scale for operand in (made, decoded, changed)] == [rounded] * 3
    assert SymmPerChannelQuantParams((number, 1.0), 0).scales == (rounded, 1.0)
    assert BufferRole(0, 0, number).probability == rounded
    assert made == Operand(CODES, scale=rounded)


def test_numbers_beyond_floats() -> None:
    """A number that is too large is infinite, and one that is none stays so: neither raises."""
    assert Operand(CODES, scale=1e300).scale == math.inf
    assert math.isnan(Operand(CODES, scale=math.nan).scale)


def test_what_is_zero_as_a_float_is_no_scale() -> None:
    """Validation sees the number that a driver sees."""
    model = add_model()
    for kind, scale, rules in ((CODES, 5e-312, {"model/operand.scale"}), (OperandType.TENSOR_FLOAT32, 5e-312, set())):
        added = Operand(kind, (1,), scale, lifetime=OperandLifeTime.NO_VALUE)
        main = replace(model.main, operands=(*model.main.operands, added))
        assert {error.rule for error in broken_rules(replace(model, main=main))} == rules


def test_no_operand_is_kept_that_is_never_found_again() -> None:
    """The scale of an OEM operand may be NaN, which equals nothing: a cache of such operands only grows."""
    plain = add_model()

    def validate() -> None:
        added = Operand(OperandType.TENSOR_OEM_BYTE, (1,), math.nan, lifetime=OperandLifeTime.NO_VALUE)
        main = replace(plain.main, operands=(*plain.main.operands, added))
        assert list(broken_rules(replace(plain, main=main))) == []
        validate_model(replace(plain, main=main), 8)

    def kept() -> int:
        gc.collect()
        # Not isinstance, which asks lazy objects of other libraries for their class.
        return sum(type(found) is Operand and math.isnan(found.scale) for found in gc.get_objects())

    validate()
    before = kept()
    for _ in range(20):
        validate()
    assert kept() == before
