"""Tables of claims are complete, and name nothing that the contract lacks."""

from __future__ import annotations

from typing import Any

import pytest

from nnvet.adapters.litert.writing import DRIVER as LITERT
from nnvet.adapters.onnxruntime.device import TABLE as ONNXRUNTIME
from nnvet.adapters.runtimes.claims import Claim, Table
from nnvet.adapters.torch.device import TABLE as TORCH
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.catalogue import declarations

TABLES: list[tuple[Table[Any], int]] = [(LITERT, 94), (ONNXRUNTIME, 60), (TORCH, 60)]


@pytest.mark.parametrize(("table", "most"), TABLES, ids=lambda value: getattr(value, "runtime", ""))
def test_every_operation_is_claimed_or_has_a_reason(table: Table[Any], most: int) -> None:
    """No operation of the contract is left out, and as many are claimed as were promised."""
    assert {*table.claims, *table.unclaimed} == set(OperationType) & set(declarations())
    assert len(table.claims) >= most
    assert all(table.unclaimed.values())


@pytest.mark.parametrize(("table", "most"), TABLES, ids=lambda value: getattr(value, "runtime", ""))
def test_every_type_is_claimed_or_has_a_reason(table: Table[Any], most: int) -> None:
    """The types of the declaration's variable T are shared out between the two lists."""
    del most
    for operation, claim in table.claims.items():
        declared = {OperandType(row.types["T"]) for row in declarations()[operation].rows}
        assert {*claim.types} | {*claim.excluded} == declared, operation.name
        assert not {*claim.types} & {*claim.excluded}, operation.name


def _claim(operation: OperationType) -> Claim[Any]:
    return Claim(operation, "X", (OperandType.TENSOR_FLOAT32,), lambda *_: None)


@pytest.mark.parametrize(
    ("operations", "unclaimed", "message"),
    [
        ([OperationType.ADD, OperationType.ADD], {}, "claimed twice"),
        ([OperationType.ADD], {OperationType.ADD: "no"}, "both claimed and not"),
    ],
)
def test_contradictions_are_refused(
    operations: list[OperationType], unclaimed: dict[OperationType, str], message: str
) -> None:
    """An operation has one place in a table."""
    with pytest.raises(ValueError, match=message):
        Table("some", map(_claim, operations), unclaimed)
