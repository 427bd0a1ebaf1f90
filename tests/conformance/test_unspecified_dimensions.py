"""What is expected of partly told dimensions: rows of the CTS catalogue, 2.6, translated by hand."""

import pytest

from nnvet.conformance.suites.dimensions.combinations import Expected, Place, Size, Told, Trial, Varied, expectation

FULL, DIM, RANK, TYPE = Told
INPUT, CONST, TEMPORARY, OUTPUT = (
    Varied.INPUT_MANDATORY,
    Varied.CONST_MANDATORY,
    Varied.TEMPORARY_VARIABLE,
    Varied.OUTPUT,
)
GOOD = (Place.NONE, Size.EQUAL, False)


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (Trial(INPUT, DIM, FULL, *GOOD, 2), Expected.VALUES),
        (Trial(INPUT, FULL, TYPE, *GOOD, 2), Expected.VALUES),
        # No type while the model is not fully specified, and a type that lacks a dimension.
        (Trial(INPUT, DIM, TYPE, *GOOD, 2), Expected.INVALID_REQUEST),
        (Trial(INPUT, RANK, DIM, *GOOD, 1), Expected.INVALID_REQUEST),
        # A wrong A against a model of known rank, and against one that knows nothing.
        (Trial(INPUT, DIM, FULL, Place.EXECUTION, Size.EQUAL, False, 2), Expected.INVALID_REQUEST),
        (Trial(INPUT, RANK, FULL, Place.EXECUTION, Size.EQUAL, False, 2), Expected.FAILURE),
        # The model is wrong, the buffer is not.
        (Trial(INPUT, FULL, TYPE, Place.MODEL, Size.EQUAL, False, 2), Expected.INVALID_REQUEST),
        (Trial(INPUT, DIM, FULL, Place.NONE, Size.LESS, False, 2), Expected.INVALID_REQUEST),
        (Trial(INPUT, DIM, FULL, Place.NONE, Size.MORE, False, 2), Expected.INVALID_REQUEST),
        (Trial(INPUT, DIM, FULL, Place.NONE, Size.MORE, True, 2), Expected.VALUES),
        (Trial(CONST, FULL, FULL, *GOOD, 2), Expected.VALUES),
        (Trial(CONST, DIM, FULL, *GOOD, 2), Expected.INVALID_MODEL),
        (Trial(CONST, FULL, FULL, Place.MODEL, Size.EQUAL, False, 2), Expected.INVALID_MODEL),
        (Trial(TEMPORARY, FULL, FULL, Place.MODEL, Size.EQUAL, False, 2), Expected.FAILURE),
        (Trial(TEMPORARY, RANK, FULL, *GOOD, 1), Expected.VALUES),
        # What is omitted has no type.
        (Trial(Varied.INPUT_OPTIONAL, FULL, FULL, *GOOD, 2), Expected.INVALID_REQUEST),
        (Trial(Varied.INPUT_OPTIONAL, RANK, TYPE, *GOOD, 2), Expected.VALUES),
        (Trial(Varied.CONST_OPTIONAL, RANK, FULL, *GOOD, 2), Expected.VALUES),
        # Outputs may stay unknown; then too small a buffer is found out by the execution.
        (Trial(OUTPUT, RANK, TYPE, *GOOD, 1), Expected.VALUES),
        (Trial(OUTPUT, RANK, TYPE, Place.NONE, Size.LESS, False, 1), Expected.INSUFFICIENT),
        (Trial(OUTPUT, DIM, DIM, Place.NONE, Size.LESS, True, 2), Expected.INSUFFICIENT),
        (Trial(OUTPUT, DIM, DIM, Place.NONE, Size.MORE, False, 2), Expected.VALUES),
        (Trial(OUTPUT, DIM, FULL, Place.NONE, Size.LESS, False, 2), Expected.INVALID_REQUEST),
        (Trial(OUTPUT, DIM, TYPE, Place.MODEL, Size.EQUAL, False, 2), Expected.FAILURE),
        (Trial(OUTPUT, RANK, FULL, Place.EXECUTION, Size.EQUAL, False, 2), Expected.FAILURE),
        (Trial(OUTPUT, FULL, TYPE, Place.MODEL, Size.EQUAL, False, 2), Expected.INVALID_REQUEST),
    ],
    ids=lambda value: value.name.replace(" ", "_") if isinstance(value, Trial) else "",
)
def test_expectations(trial: Trial, expected: Expected) -> None:
    """Model, request, execution: the first step that has a reason to fails."""
    assert expectation(trial) is expected
