"""Operands whose dimensions the model and the request give fully, in part, or not at all.

``sum[A,B] = input[A,B] + constant[A,1]; output[B,A] = TRANSPOSE(sum, omitted permutation)``, where A is 2 but may be
given as 3, and B is 1 or 2. Source: docs/contract/cts-tests.md 2.6, with the rules of docs/contract/hal.md 4 and 8.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import product
from typing import NamedTuple

GOOD_A, BAD_A = 2, 3


class Varied(Enum):
    """The operand whose dimensions vary, by its index in the model."""

    INPUT_MANDATORY = 0
    CONST_MANDATORY = 1
    TEMPORARY_VARIABLE = 2
    OUTPUT = 4
    INPUT_OPTIONAL = 3
    CONST_OPTIONAL = -3

    @property
    def index(self) -> int:
        """Index of the operand in the operation; the value of CONST_OPTIONAL is its negative."""
        return abs(self.value)


IN_REQUEST = (Varied.INPUT_MANDATORY, Varied.INPUT_OPTIONAL, Varied.OUTPUT)


class SpecificationLevel(Enum):
    """Extent of a specification: all, all but B, not even the rank; a request without type is the last."""

    FULLY_SPECIFIED = 0
    UNSPECIFIED_DIM = 1
    UNSPECIFIED_RANK = 2
    UNSPECIFIED_TYPE = 3


class Size(Enum):
    """Bytes of the buffer for each byte that is needed."""

    LESS = 0.5
    EQUAL = 1
    MORE = 2


class WrongIn(Enum):
    """Places of the wrong A."""

    NONE = 0
    MODEL = 1
    EXECUTION = 2


class Expected(Enum):
    """Expected end of a combination."""

    INVALID_MODEL = "the model is refused"
    INVALID_REQUEST = "INVALID_ARGUMENT"
    FAILURE = "an error"
    INSUFFICIENT = "OUTPUT_INSUFFICIENT_SIZE"
    VALUES = "success"


class Combination(NamedTuple):
    """One combination; ``padded``: what is too much of the buffer is declared as padding."""

    tested: Varied
    in_model: SpecificationLevel
    in_request: SpecificationLevel
    bad: WrongIn
    size: Size
    padded: bool
    b: int

    @property
    def name(self) -> str:
        """Readable form, which also decides on the sample."""
        buffer = f"buffer {self.size.name}{' padded' if self.padded else ''}"
        specified = f"{self.in_model.name} in the model, {self.in_request.name} in the request"
        return f"{self.tested.name}: {specified}, wrong A: {self.bad.name}, B = {self.b}, {buffer}"

    def a(self, place: WrongIn) -> int:
        """A as it is given in ``place``."""
        return BAD_A if self.bad is place else GOOD_A

    def dimensions(self, specified: SpecificationLevel, a: int) -> tuple[int, ...]:
        """Dimensions of the tested operand, as far as they are specified."""
        whole = {
            Varied.OUTPUT: (self.b, a),
            Varied.CONST_MANDATORY: (a, 1),
            Varied.INPUT_OPTIONAL: (2,),
            Varied.CONST_OPTIONAL: (2,),
        }.get(self.tested, (a, self.b))
        open_axis = 0 if self.tested is Varied.OUTPUT else len(whole) - 1
        partly = (*whole[:open_axis], 0, *whole[open_axis + 1 :])
        return {SpecificationLevel.FULLY_SPECIFIED: whole, SpecificationLevel.UNSPECIFIED_DIM: partly}.get(
            specified, ()
        )


def expectation(combination: Combination) -> Expected:
    """Return the end that the contract demands for a combination (docs/contract/hal.md 4 and 8.1)."""
    model = combination.dimensions(combination.in_model, combination.a(WrongIn.MODEL))
    specified = combination.dimensions(combination.in_request, combination.a(WrongIn.EXECUTION))
    if combination.tested is Varied.CONST_MANDATORY:
        valid = combination.in_model is SpecificationLevel.FULLY_SPECIFIED and combination.bad is WrongIn.NONE
        return Expected.VALUES if valid else Expected.INVALID_MODEL
    if combination.tested is Varied.TEMPORARY_VARIABLE:
        return Expected.FAILURE if combination.bad is WrongIn.MODEL else Expected.VALUES
    if combination.tested is Varied.INPUT_OPTIONAL:
        # What has no value has no dimensions.
        return Expected.INVALID_REQUEST if specified else Expected.VALUES
    if combination.tested is Varied.CONST_OPTIONAL:
        return Expected.VALUES
    return _expectation_of_argument(combination, model, specified)


def _expectation_of_argument(combination: Combination, model: tuple[int, ...], specified: tuple[int, ...]) -> Expected:
    is_input = combination.tested is Varied.INPUT_MANDATORY
    if model and specified and any(known not in (0, given) for known, given in zip(model, specified, strict=True)):
        return Expected.INVALID_REQUEST
    combined = (
        tuple(a or b for a, b in zip(model, specified, strict=True)) if model and specified else model or specified
    )
    known = bool(combined) and 0 not in combined
    if is_input and (not known or 0 in specified):
        return Expected.INVALID_REQUEST
    right = combination.dimensions(SpecificationLevel.FULLY_SPECIFIED, combination.a(WrongIn.EXECUTION))
    fits = combination.size is Size.EQUAL or (combination.size is Size.MORE and combination.padded)
    if known and not (fits and combined == right):
        return Expected.INVALID_REQUEST
    if BAD_A in combined:
        return Expected.FAILURE
    return Expected.INSUFFICIENT if combination.size is Size.LESS else Expected.VALUES


def combinations_of(
    tested: Varied, in_model: SpecificationLevel, in_request: SpecificationLevel
) -> Iterator[Combination]:
    """All combinations of one instance."""
    in_buffers = tested in (Varied.INPUT_MANDATORY, Varied.OUTPUT)
    places = {Varied.INPUT_OPTIONAL: 1, Varied.CONST_OPTIONAL: 1}.get(tested, 3 if in_buffers else 2)
    known = in_model is SpecificationLevel.FULLY_SPECIFIED and tested in (*IN_REQUEST[::2], Varied.TEMPORARY_VARIABLE)
    for bad, size, padded, b in product(list(WrongIn)[:places], Size, (False, True), (2,) if known else (2, 1)):
        combination = Combination(tested, in_model, in_request, bad, size, padded, b)
        varies = size is not Size.EQUAL or padded
        if (in_buffers or not varies) and (size is not Size.EQUAL or not padded) and _is_specified(combination):
            yield combination


def _is_specified(combination: Combination) -> bool:
    """Return True if the wrong A is given at all."""
    givers = {WrongIn.MODEL: combination.in_model, WrongIn.EXECUTION: combination.in_request}
    return combination.bad is WrongIn.NONE or givers[combination.bad] in (
        SpecificationLevel.FULLY_SPECIFIED,
        SpecificationLevel.UNSPECIFIED_DIM,
    )
