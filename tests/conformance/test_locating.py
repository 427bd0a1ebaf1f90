"""``locate`` names the first operation that is wrong itself, and nobody in honest runs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.locating import Located, find_smallest_part, locate
from nnvet.conformance.engine.target import Target
from nnvet.hal.enums import OperandType
from nnvet.reports.events import Verdict
from tests.conformance.chains import CHANGES, chain, planted

FAULTY = Target(f"python:{Path(__file__).with_name('chain_driver.py')}:ChainDevice", in_process=True)
HONEST = Target("reference", in_process=True)
FLOAT, HALF, CODES = OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16, OperandType.TENSOR_QUANT8_ASYMM_SIGNED


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    planted.clear()


def located(target: Target, kind: OperandType, seed: int, count: int = 150) -> Located:
    """The answer for a chain."""
    with open_subject(target) as subject:
        return locate(subject, chain(kind, seed, count)[0])


def plant(kind: OperandType, number: int, count: int) -> int:
    """Plant the fault of a number in the chain of the same seed; the position of the wrong operation."""
    constants = chain(kind, number, count)[1]
    with_constant = [position for position, content in enumerate(constants) if content]
    position = int(np.random.default_rng(number).choice(with_constant))
    planted.update(constant=constants[position], change=CHANGES[number % len(CHANGES)])
    return position


def check_named(number: int, count: int) -> None:
    """The operation with the planted fault is named, alone, and fails alone."""
    kind = (FLOAT, CODES)[number % 2]
    position = plant(kind, number, count)
    with open_subject(FAULTY) as subject:
        found = locate(subject, chain(kind, number, count)[0])
        part = find_smallest_part(subject, found)
    assert [layer.position for layer in found.layers if layer.fault] == [position]
    assert found.first is not None
    assert part is not None
    small, outcome = part
    assert len(small.main.operations) == 1
    assert outcome.verdict is Verdict.FAIL


@pytest.mark.parametrize("number", range(2))
def test_a_planted_fault_is_named(number: int) -> None:
    """In float32 and in codes, in chains of 40 operations."""
    check_named(number, 40)


@pytest.mark.long
@pytest.mark.parametrize("number", range(20))
def test_planted_faults_in_150_operations_are_named(number: int) -> None:
    """All twenty: one element, a shift of all, elements in other places."""
    check_named(number, 150)


@pytest.mark.parametrize("kind", [HALF, CODES])
def test_an_honest_driver_is_blamed_for_nothing(kind: OperandType) -> None:
    """The bundled driver's arithmetic, in chains of 40 operations."""
    check_honest(kind, 0, 40)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", [HALF, CODES])
def test_honest_runs_of_150_operations_blame_nobody(kind: OperandType, seed: int) -> None:
    """Twenty runs."""
    check_honest(kind, seed, 150)


def check_honest(kind: OperandType, seed: int, count: int) -> None:
    """No operation is wrong, the outputs are within their bounds, and results do not depend on who reads them."""
    found = located(HONEST, kind, seed, count)
    assert [layer for layer in found.layers if layer.fault] == []
    assert (dict(found.wrong), found.differs) == ({}, False)
    assert all(layer.own is not None for layer in found.layers)
    assert max(layer.off for layer in found.layers) > 0, "a float16 or a code is never quite the ideal number"
