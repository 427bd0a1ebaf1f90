"""The matrix counts each case where it belongs. Expected cells: by hand."""

from collections import Counter

import pytest

from nnvet.reports.events import CaseFinished, Verdict
from nnvet.reports.html.matrix import ALL_TYPES, SEVERAL, Computed, MatrixCell, build_matrix, computed_by

FLOAT32, QUANT8, VENDOR = "TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM", "type 0x10001"


def case(verdict: str, operations: list[str], types: list[str]) -> CaseFinished:
    """A case with labels."""
    labels = {"operations": operations, "operand_types": types}
    return CaseFinished("any", Verdict(verdict), labels=labels)


RESULTS = (
    case("PASS", ["MUL"], [FLOAT32]),
    case("PASS", ["MUL"], [FLOAT32, QUANT8]),
    case("FAIL", ["MUL"], [QUANT8]),
    case("PASS", ["ADD"], [QUANT8]),
    case("UNSUPPORTED", ["ADD"], [QUANT8]),
    case("UNSUPPORTED", ["ADD"], [FLOAT32]),
    case("CRASH", ["ADD", "MUL"], [FLOAT32]),
    case("PASS", ["ADD"], [VENDOR]),
    case("PASS", [], [FLOAT32]),
)


def test_cells_count_passed_of_all() -> None:
    """Rows by name with graphs last, columns in the contract's order with extensions last."""
    matrix = build_matrix(RESULTS)
    assert matrix.types == (FLOAT32, QUANT8, VENDOR)
    shown = {row.operation: (row.all.text, *(cell.text for cell in row.cells)) for row in matrix.rows}
    assert list(shown) == ["ADD", "MUL", SEVERAL]
    assert shown == {
        "ADD": ("2/4", "– 1", "1/2", "✓ 1"),  # noqa: RUF001 - the sign of unsupported
        "MUL": ("✕ 2/3", "✓ 2", "✕ 1/2", ""),
        SEVERAL: ("✕ 0/1", "✕ 0/1", "", ""),
    }


def test_no_case_of_an_operation_gives_an_empty_matrix() -> None:
    """Interface tests alone make no rows, and no error."""
    assert build_matrix([case("PASS", [], [])]).rows == ()
    assert ALL_TYPES not in build_matrix(RESULTS).types


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        ("", "empty"),
        ("PASS PASS", "pass"),
        ("PASS FAIL NOT_RUN", "fault"),
        ("HANG", "fault"),
        ("PASS NOT_RUN", "gap"),
        ("ERROR UNSUPPORTED", "gap"),
        ("PASS WAIVED", "partial"),
        ("UNSUPPORTED WAIVED", "unsupported"),
    ],
)
def test_the_worst_decides_the_colour(verdicts: str, state: str) -> None:
    """Faults before gaps before passes; all passed only if every case passed."""
    assert MatrixCell(Counter(Verdict(name) for name in verdicts.split())).state == state


def test_details_name_every_verdict() -> None:
    """Hovering shows details of every verdict."""
    assert MatrixCell(Counter({Verdict.PASS: 2, Verdict.CRASH: 1})).details == "2 PASS, 1 CRASH"


def test_who_computed_is_counted_by_operation() -> None:
    """Types are put together; cases that nobody names, and those of no operation, are left out."""
    named = [
        CaseFinished("any", Verdict.PASS, labels=case("PASS", operations, types).labels, computed_by=by)
        for operations, types, by in (
            (["MUL"], [QUANT8], "npu"),
            (["MUL"], [FLOAT32], "npu"),
            (["MUL"], [FLOAT32], "npu, beside it CPU kernels: CAST"),
            (["ADD", "MUL"], [FLOAT32], "npu"),
            (["ADD"], [FLOAT32], ""),
            ([], [FLOAT32], "npu"),
        )
    ]
    assert computed_by(named) == (
        Computed("MUL", (FLOAT32, QUANT8), "npu", 2),
        Computed("MUL", (FLOAT32,), "npu, beside it CPU kernels: CAST", 1),
        Computed(SEVERAL, (FLOAT32,), "npu", 1),
    )
