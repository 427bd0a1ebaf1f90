"""The study of the oracle in a short form: planted errors are found, honest drivers are not blamed.

The long form is ``make oracle-study``; docs/oracle.md has its figures.
"""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from nnvet.generators.random_graphs.golden import inputs_of
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.hal.enums import OperationType
from nnvet.oracle.arithmetic.sums import (
    SUMS,
    Arithmetic,
    Order,
    summed,
    to_bfloat16,
    to_float16,
    to_float32,
    to_float64,
    truncated,
)
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning
from tools.oracle_study.__main__ import main
from tools.oracle_study.comparisons import Comparisons, compare, make_mixed_graphs
from tools.oracle_study.driver import FLOATS, HonestDriver
from tools.oracle_study.fault import is_held_out
from tools.oracle_study.faults import FAULTS, run_with
from tools.oracle_study.honest import HONEST
from tools.oracle_study.models import StudyModel, make_models
from tools.oracle_study.study import Study, list_alarms, rows, run_study

SHORT = {"ADD", "FULLY_CONNECTED", "SOFTMAX", "MAX_POOL_2D", "GREATER"}


def short_models() -> list[StudyModel]:
    """A few operations in each kind of arithmetic."""
    return [
        sample
        for kind, subjects in (
            ("float32", SHORT),
            ("float16", SHORT),
            ("relaxed", {"ADD", "GREATER"}),
            ("uint8", SHORT),
            ("int8", {"FULLY_CONNECTED"}),
            ("per-channel", {"GROUPED_CONV_2D"}),
        )
        for sample in make_models(0, kind)
        if sample.subject in subjects
    ]


@pytest.fixture(scope="module")
def study() -> Study:
    """Of the short models."""
    return run_study(short_models())


def test_there_are_many_kinds_of_errors_and_drivers_and_half_are_held_out() -> None:
    """By their names, which are all different."""
    names = [*(fault.name for fault in FAULTS), *(driver.name for driver in HONEST)]
    assert len(set(names)) == len(names)
    assert len(FAULTS) >= 25
    for several in (FAULTS, HONEST):
        held_out = sum(is_held_out(item.name) for item in several)
        assert len(several) / 3 <= held_out <= len(several) * 2 / 3


def test_no_honest_driver_is_blamed(study: Study) -> None:
    """In any kind of arithmetic, each of which has honest drivers in both halves."""
    assert list_alarms(study) == []
    judged = {(kind, half) for kind, half, *_ in rows(study)}
    assert len(judged) == 12
    assert all(study.tallies[kind, half, "bounds"].honest for kind, half, _ in list(study.tallies))


def test_planted_errors_are_found(study: Study) -> None:
    """Nine in ten at least where there is one model of each form, and no fewer than by the criteria of the NNAPI."""
    for kind, held_out, judge in list(study.tallies):
        ours, theirs = (study.tallies[kind, held_out, side] for side in ("bounds", "NNAPI"))
        assert ours.kill_rate >= 0.9, (kind, ours.survivors)
        if judge == "NNAPI" and theirs.mutants and kind != "relaxed":
            assert ours.kill_rate >= theirs.kill_rate


@pytest.mark.parametrize("operation", SUMS, ids=lambda operation: operation.name)
def test_sums_mean_what_the_operation_means(operation: OperationType) -> None:
    """Their terms, summed in float64, give the oracle's results."""
    models = [sample for sample in make_models(1, "float32") if sample.subject == operation.name]
    assert models
    for sample in models:
        model = build_model(sample.test)
        try:
            inputs = inputs_of(sample.test)

            def in_float64(_: Meaning, call: Invocation) -> np.ndarray:
                found = summed(call, Arithmetic(to_float64))
                assert found is not None
                return found

            for found, wanted in zip(evaluate(model, inputs, in_float64), evaluate(model, inputs), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
        finally:
            close_pools(model)


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_quantised_cells_are_known_to_the_code(kind: str) -> None:
    """The recipe of their pages is right, with one rounding in place of two as well; one code more is wrong."""
    (sample,) = (sample for sample in make_models(0, kind) if "QUANTIZED" in sample.subject)
    found = run_study([sample])
    assert list_alarms(found) == []
    assert found.tallies[kind, True, "bounds"].mutants["codes-one-up", sample.subject]


def test_products_are_short_where_most_factors_are_one() -> None:
    """Relaxed products of few factors are not bfloat16, and products with powers of two are exact."""
    (sample,) = (sample for sample in make_models(2, "relaxed") if sample.subject == "REDUCE_PROD")
    values = sample.test.main.operands[0].data
    assert values is not None
    assert 0.5 < (values == 1).mean() < 1
    found = run_study([sample])
    assert found.tallies["relaxed", True, "bounds"].mutants["results-in-bfloat16", "REDUCE_PROD"]


def test_every_fault_applies_somewhere() -> None:
    """No kind of error is idle: each changes the results of some model."""
    left = {fault.name: fault for fault in FAULTS}
    for kind in ("float32", "per-channel", "uint8"):
        for sample in make_models(2, kind):
            model = build_model(sample.test)
            inputs = inputs_of(sample.test)
            right = evaluate(model, inputs)
            for name, fault in list(left.items()):
                wrong = run_with(fault, model, inputs, 0)
                if wrong is not None and any(
                    array.shape != expected.shape or (array != expected).any()
                    for array, expected in zip(wrong, right, strict=True)
                ):
                    del left[name]
            close_pools(model)
            if not left:
                return
    assert not left


def test_orders_of_summation_give_the_sum() -> None:
    """In float64 all orders give the exact sum nearly; in float32 and float16 each is off by its rounding."""
    random = np.random.default_rng(1)
    left, right = (to_float32(random.uniform(-1, 1, 37)) for _ in range(2))
    terms = [(np.array(x), y) for x, y in zip(left, right, strict=True)]
    exact = math.fsum(x * y for x, y in zip(left.tolist(), right.tolist(), strict=True)) + 0.5
    for order in Order:
        for fused in (False, True):
            assert abs(float(Arithmetic(to_float64, order, fused).total(terms, 0.5)) - exact) < 1e-14
            assert 0 < abs(float(Arithmetic(to_float32, order, fused).total(terms, 0.5)) - exact) < 1e-6
            assert 1e-6 < abs(float(Arithmetic(to_float16, order, fused).total(terms, 0.5)) - exact) < 1e-2


def test_numbers_are_brought_to_short_formats() -> None:
    """Known values: a third in bfloat16 is 0x3EAB0000, and truncation is never away from zero."""
    assert float(to_bfloat16(1 / 3)) == 0.333984375
    assert float(to_bfloat16(-1.0)) == -1.0
    third = truncated(np.array([1 / 3, -1 / 3]), np.float32)
    assert Fraction(float(third[0])) < Fraction(1, 3) < Fraction(float(np.nextafter(third[0], np.float32(1))))
    assert third[1] == -third[0]


def test_values_reveal() -> None:
    """Of one sign in the second set; small, and zero for the most part, in the third; as relaxed models keep them."""
    positive, sparse = (
        next(sample for sample in make_models(seed, "relaxed") if sample.subject == "FULLY_CONNECTED").test
        for seed in (1, 2)
    )
    for test in (positive, sparse):
        weights = test.main.operands[1].data
        assert test.is_relaxed
        assert weights is not None
        np.testing.assert_array_equal(weights, weights.astype(np.float16))
    assert (positive.main.operands[1].data > 0).all()
    zeros = np.concatenate([operand.data for operand in sparse.main.operands[:2]]) == 0
    assert 0.5 < zeros.mean() < 1
    boxes = [sample.test.main.operands[1].data for sample in make_models(2, "float32") if sample.subject == "ROI_ALIGN"]
    assert np.concatenate(boxes).max() > 2**-4


def test_honest_drivers_are_counted_and_those_that_err_are_blamed() -> None:
    """Every driver is compared on each model of its kind, also on graphs; one that adds 1 is held to be wrong."""
    found = Comparisons()
    graph = next(make_mixed_graphs(3))
    single = next(sample for sample in make_models(0, "float32") if sample.subject == "SUB")
    wrong = HonestDriver("wrong", FLOATS, lambda model, inputs: [output + 1 for output in evaluate(model, inputs)])
    for sample in (graph, single):
        compare(sample, found, HONEST)
    assert found.alarms == []
    assert sum(count.graphs for count in found.drivers.values()) == sum(graph.kind in d.kinds for d in HONEST)
    assert sum(count.singles for count in found.drivers.values()) == 8
    assert found.different["float32"] == 1
    compare(single, found, (*HONEST, wrong))
    assert [line.split(",")[0] for line in found.alarms] == ["wrong"]


@pytest.mark.long
def test_the_program_prints_the_tables_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a glob for operations; what is known is not done again, and one that matches none is an error of usage."""
    arguments = ["--only", "RELU6", "--count", "2", "--comparisons", "20", "--out", str(tmp_path)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "float32" in printed
    assert "killed" in printed
    (kept,) = tmp_path.iterdir()
    known = kept.read_text()
    # A line that was cut off is taken for none.
    kept.write_text(known + known[:100])
    assert main(arguments) == 0
    assert kept.read_text() == known + known[:100]
    with pytest.raises(SystemExit) as ended:
        main(["--only", "NO_SUCH_OPERATION", "--out", str(tmp_path)])
    assert ended.value.code == 2
