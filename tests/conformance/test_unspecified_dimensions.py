"""Expectations about partly specified dimensions: rows of docs/contract/cts-tests.md 2.6, translated by hand."""

import pytest

from nnvet.conformance.suites.dimensions.unknown import (
    Combination,
    Expected,
    Size,
    SpecificationLevel,
    Varied,
    WrongIn,
    expectation,
)

FULL, DIM, RANK, TYPE = SpecificationLevel
INPUT, CONST, TEMPORARY, OUTPUT = (
    Varied.INPUT_MANDATORY,
    Varied.CONST_MANDATORY,
    Varied.TEMPORARY_VARIABLE,
    Varied.OUTPUT,
)
GOOD = (WrongIn.NONE, Size.EQUAL, False)


@pytest.mark.parametrize(
    ("combination", "expected"),
    [
        (Combination(INPUT, DIM, FULL, *GOOD, 2), Expected.VALUES),
        (Combination(INPUT, FULL, TYPE, *GOOD, 2), Expected.VALUES),
        # No type while the model is not fully specified, and a type that lacks a dimension.
        (Combination(INPUT, DIM, TYPE, *GOOD, 2), Expected.INVALID_REQUEST),
        (Combination(INPUT, RANK, DIM, *GOOD, 1), Expected.INVALID_REQUEST),
        # A wrong A against a model of known rank, and against one that knows nothing.
        (Combination(INPUT, DIM, FULL, WrongIn.EXECUTION, Size.EQUAL, False, 2), Expected.INVALID_REQUEST),
        (Combination(INPUT, RANK, FULL, WrongIn.EXECUTION, Size.EQUAL, False, 2), Expected.FAILURE),
        # The model is wrong, the buffer is not.
        (Combination(INPUT, FULL, TYPE, WrongIn.MODEL, Size.EQUAL, False, 2), Expected.INVALID_REQUEST),
        (Combination(INPUT, DIM, FULL, WrongIn.NONE, Size.LESS, False, 2), Expected.INVALID_REQUEST),
        (Combination(INPUT, DIM, FULL, WrongIn.NONE, Size.MORE, False, 2), Expected.INVALID_REQUEST),
        (Combination(INPUT, DIM, FULL, WrongIn.NONE, Size.MORE, True, 2), Expected.VALUES),
        (Combination(CONST, FULL, FULL, *GOOD, 2), Expected.VALUES),
        (Combination(CONST, DIM, FULL, *GOOD, 2), Expected.INVALID_MODEL),
        (Combination(CONST, FULL, FULL, WrongIn.MODEL, Size.EQUAL, False, 2), Expected.INVALID_MODEL),
        (Combination(TEMPORARY, FULL, FULL, WrongIn.MODEL, Size.EQUAL, False, 2), Expected.FAILURE),
        (Combination(TEMPORARY, RANK, FULL, *GOOD, 1), Expected.VALUES),
        # An omitted operand has no type.
        (Combination(Varied.INPUT_OPTIONAL, FULL, FULL, *GOOD, 2), Expected.INVALID_REQUEST),
        (Combination(Varied.INPUT_OPTIONAL, RANK, TYPE, *GOOD, 2), Expected.VALUES),
        (Combination(Varied.CONST_OPTIONAL, RANK, FULL, *GOOD, 2), Expected.VALUES),
        # Outputs may stay unknown; then too small a buffer is found out by the execution.
        (Combination(OUTPUT, RANK, TYPE, *GOOD, 1), Expected.VALUES),
        (Combination(OUTPUT, RANK, TYPE, WrongIn.NONE, Size.LESS, False, 1), Expected.INSUFFICIENT),
        (Combination(OUTPUT, DIM, DIM, WrongIn.NONE, Size.LESS, True, 2), Expected.INSUFFICIENT),
        (Combination(OUTPUT, DIM, DIM, WrongIn.NONE, Size.MORE, False, 2), Expected.VALUES),
        (Combination(OUTPUT, DIM, FULL, WrongIn.NONE, Size.LESS, False, 2), Expected.INVALID_REQUEST),
        (Combination(OUTPUT, DIM, TYPE, WrongIn.MODEL, Size.EQUAL, False, 2), Expected.FAILURE),
        (Combination(OUTPUT, RANK, FULL, WrongIn.EXECUTION, Size.EQUAL, False, 2), Expected.FAILURE),
        (Combination(OUTPUT, FULL, TYPE, WrongIn.MODEL, Size.EQUAL, False, 2), Expected.INVALID_REQUEST),
        # A request cannot take back what the model says.
        (Combination(OUTPUT, FULL, DIM, *GOOD, 2), Expected.INVALID_REQUEST),
    ],
    ids=lambda value: value.name.replace(" ", "_") if isinstance(value, Combination) else "",
)
def test_expectations(combination: Combination, expected: Expected) -> None:
    """Model, request, execution: the first step that has a reason to fails."""
    assert expectation(combination) is expected
