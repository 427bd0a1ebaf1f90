"""Every operation that the kind ``torch`` claims is judged by the error bounds, on random models of its types."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the torch extra")

from nnvet.adapters import create_device, prepare
from nnvet.adapters.torch.device import TABLE
from nnvet.driver_kit.base_device import BasePreparedModel
from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.interfaces import Device
from tools.oracle_study.models import GRAPH, KINDS, StudyModel, make_models
from tools.oracle_study.study import make_bounds_judge

SEEDS: Final = range(2)
UNDRAWN: Final = {"FILL", "LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR", "REDUCE_ALL", "REDUCE_ANY"}
"""The models have no truth values, and none of them has FILL; test_torch.py has cases of these."""


@cache
def verdicts(kind: str, selector: str = "torch") -> dict[str, list[str]]:
    """Return the faults of each claimed model of a kind of arithmetic, by operation."""
    device, found = create_device(selector), dict[str, list[str]]()
    for sample in (model for seed in SEEDS for model in make_models(seed, kind)):
        wrong = verdict(device, sample)
        if wrong is not None:
            found.setdefault(sample.subject, []).append(wrong)
    return found


def verdict(device: Device, sample: StudyModel) -> str | None:
    """Return the fault in the outputs of a model; None if it is not claimed."""
    model, inputs = build_model(sample.test), inputs_of(sample.test)
    checked = [not operand.is_ignored for operand in sample.test.main.outputs]
    try:
        if not all(device.get_supported_operations(model)):
            return None
        prepared = prepare(device, model)
        assert isinstance(prepared, BasePreparedModel)
        with np.errstate(all="ignore"):
            judge, _ = make_bounds_judge(model, inputs, checked)
            wrong = judge([np.asarray(output) for output in prepared.compute(inputs)])
    finally:
        close_pools(model)
    return f"{sample.test.name}: {wrong}" if wrong else ""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_no_result_is_out_of_bounds(kind: str) -> None:
    """Single operations and small graphs in each arithmetic: floats, relaxed floats, codes, codes of channels."""
    assert not [wrong for found in verdicts(kind).values() for wrong in found if wrong]


def test_every_claimed_operation_is_judged() -> None:
    """Each is that of a model, but for those that models do not have."""
    subjects = {subject for kind in KINDS for subject in verdicts(kind) if not subject.startswith(GRAPH)}
    assert subjects == {operation.name for operation in TABLE.claims} - UNDRAWN


def test_relaxed_models_may_be_computed_in_float16() -> None:
    """The contract allows it; so do the bounds."""
    found = verdicts("relaxed", "torch:relaxed=float16")
    assert len(found) > 60
    assert not [wrong for said in found.values() for wrong in said if wrong]


def test_bfloat16_is_less_than_relaxed_models_ask_for() -> None:
    """Its 8 bits are not the 11 of float16; the bounds notice."""
    assert [wrong for found in verdicts("relaxed", "torch:relaxed=bfloat16").values() for wrong in found if wrong]
