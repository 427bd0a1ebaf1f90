"""Accuracy: the bundled driver passes, careless kernels do not, and inputs are what they are said to be."""

from collections.abc import Iterator

import numpy as np
import pytest

from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection, labels_of
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.conformance.suites.accuracy.checks import SUITE
from nnvet.driver_kit.arrays import Array
from nnvet.generators.accuracy.dot_products import BUILDERS, INPUT_SETS, KINDS, dot_product
from nnvet.generators.accuracy.values import exhaustive_tests, odd_values, values_of
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operations.declaration import Call
from nnvet.reference_driver.zoo.full_device import Change, ChangedResults
from nnvet.reports.events import Verdict

T = OperandType
OT = OperationType
SMALL_TYPES = {T.TENSOR_QUANT8_ASYMM: 256, T.TENSOR_QUANT8_ASYMM_SIGNED: 256, T.TENSOR_FLOAT16: 65_536}


def cases(*globs: str) -> list[Case]:
    """Cases of the suite by what comes after its name."""
    selection = Selection(tuple(f"{SUITE}/{glob}" for glob in globs), full=True)
    return [case for check in checks().values() for case in selection.apply(check.cases())]


def ended(target: Target, *globs: str) -> Iterator[Finished]:
    """Yield the ends of cases."""
    return (event for event in run_cases(cases(*globs), target) if isinstance(event, Finished))


@pytest.mark.long
def test_the_bundled_driver_passes() -> None:
    """All cases; nearly every element is decided, and the evidence says how many were compared with bounds."""
    elements = undecided = 0
    for finished in ended(Target("reference", in_process=True), "*"):
        assert finished.outcome.verdict is Verdict.PASS, (finished.case, finished.outcome.reason)
        if finished.case.startswith(f"{SUITE}/Exact/"):
            continue
        elements += finished.outcome.evidence["elements"]
        undecided += finished.outcome.evidence["undecided"]
        assert all(0 <= error <= 1.001 for error in finished.outcome.evidence["accuracy"].values())
    assert elements > 1_000_000
    assert undecided < 0.1 * elements


def half(_: Call, result: Array) -> Array:
    """A result that went through float16."""
    with np.errstate(over="ignore"):
        return result.astype(np.float16).astype(result.dtype)


def never_zero(_: Call, result: Array) -> Array:
    """A bias of less than a rounding of large sums."""
    return result + result.dtype.type(1e-12)


def one_code(_: Call, result: Array) -> Array:
    """One of 256 codes is off by three."""
    return np.where(result == result.reshape(-1)[140], result + 3, result).astype(result.dtype)


def no_infinity(_: Call, result: Array) -> Array:
    """Infinite results are none."""
    return np.where(np.isinf(result), 0, result).astype(result.dtype)


def downwards(_: Call, result: Array) -> Array:
    """Cut, where it ought to be rounded to the nearest."""
    return np.nextafter(result, result.dtype.type(0))


@pytest.mark.parametrize(
    ("operation", "change", "failing", "passing"),
    [
        (OT.CONV_2D, half, "DotProduct/CONV_2D.float32.small_terms", "DotProduct/CONV_2D.relaxed.small_terms"),
        (OT.TANH, one_code, "EveryValue/TANH.TENSOR_QUANT8_ASYMM", "EveryValue/LOGISTIC.TENSOR_QUANT8_ASYMM"),
        (OT.EXP, no_infinity, "EveryValue/EXP.TENSOR_FLOAT16", "EveryValue/SIN.TENSOR_FLOAT16"),
        (OT.DIV, no_infinity, "OddPairs/DIV.TENSOR_FLOAT16", "OddPairs/ADD.TENSOR_FLOAT32"),
    ],
)
def test_careless_kernels_fail(operation: OperationType, change: Change, failing: str, passing: str) -> None:
    """Each where its fault shows, and not where an honest driver may do the same."""
    target = Target("careless", in_process=True, factory=lambda: ChangedResults((operation,), change))
    assert {finished.outcome.verdict for finished in ended(target, failing)} == {Verdict.FAIL}
    assert {finished.outcome.verdict for finished in ended(target, passing)} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("operation", "change", "crossing", "inside"),
    [
        (OT.CONV_2D, never_zero, "DotProduct/CONV_2D.float32.zeros", "DotProduct/CONV_2D.float32.uniform"),
        (OT.CONV_2D, downwards, "DotProduct/CONV_2D.float32.one_product", "DotProduct/CONV_2D.float32.uniform"),
        (OT.SQRT, downwards, "EveryValue/SQRT.TENSOR_FLOAT16", "EveryValue/RSQRT.TENSOR_FLOAT16"),
    ],
)
def test_a_fault_within_the_tolerance(operation: OperationType, change: Change, crossing: str, inside: str) -> None:
    """A last place or less: a PASS whose numbers say so, and a FAIL with its own rule where bounds are strict."""
    factory = lambda: ChangedResults((operation,), change)  # noqa: E731 - the device of both targets
    lenient, strict = (Target("careless", in_process=True, factory=factory, strict=strict) for strict in (False, True))
    for finished in ended(lenient, crossing):
        assert finished.outcome.verdict is Verdict.PASS
        assert finished.outcome.numbers is not None
        assert finished.outcome.numbers.quality.startswith("inside the contract, outside of the error bound")
        assert finished.outcome.evidence["quality"]["rule"] == "execution/output.bound"
    for finished in ended(strict, crossing):
        assert (finished.outcome.verdict, finished.outcome.rule) == (Verdict.FAIL, "execution/output.bound")
    for finished in ended(strict, inside):
        assert finished.outcome.verdict is Verdict.PASS
        assert finished.outcome.numbers is not None
        assert finished.outcome.numbers.quality == ""


@pytest.mark.parametrize("operation", BUILDERS)
def test_revealing_inputs(operation: OperationType) -> None:
    """Zero products, magnitudes that cannot overflow, a large product beside small ones."""
    for name, kind in KINDS.items():
        for inputs, factors in INPUT_SETS.items():
            test = dot_product(operation, kind, factors)
            assert test.is_relaxed is (name == "relaxed")
            first, second = (test.main.operands[index] for index in test.main.operations[0].inputs[:2])
            assert first.data is not None
            assert second.data is not None
            for values in (first.data, second.data):
                assert np.isfinite(values).all()
                share = {"zeros": 0.5, "half_zero": 0.25, "one_product": 1.0}.get(inputs, 0.0)
                assert (values == 0).mean() == pytest.approx(share, abs=0.05)


def test_every_value() -> None:
    """All bit patterns of small types once; operations of one tensor with all of their types."""
    for kind, count in SMALL_TYPES.items():
        assert len({values.tobytes() for values in values_of(kind)}) == count
    assert {test.operation for test in exhaustive_tests()} >= {OT.ABS, OT.CAST, OT.ELU, OT.LOGISTIC, OT.QUANTIZE}
    odd = odd_values(T.TENSOR_FLOAT32)
    assert np.isnan(odd).any()
    assert np.signbit(odd[odd == 0]).tolist() == [False, True]
    assert ((odd != 0) & (np.abs(odd) < np.finfo(np.float32).smallest_normal)).sum() == 4


@pytest.mark.parametrize(
    ("case", "operation", "kind"),
    [
        ("DotProduct/FULLY_CONNECTED.relaxed.zeros", "FULLY_CONNECTED", "TENSOR_FLOAT32"),
        ("DotProduct/CONV_2D.float16.large", "CONV_2D", "TENSOR_FLOAT16"),
        ("EveryValue/LOGISTIC.TENSOR_FLOAT32", "LOGISTIC", "TENSOR_FLOAT32"),
        ("EveryValue/CAST.TENSOR_FLOAT16.TENSOR_INT32", "CAST", "TENSOR_FLOAT16"),
        ("OddPairs/ADD.TENSOR_FLOAT32", "ADD", "TENSOR_FLOAT32"),
    ],
)
def test_reports_count_cases_by_operation_and_type(case: str, operation: str, kind: str) -> None:
    """A fault in a sum is one of the operation in whose row and column a report looks for it."""
    (found,) = cases(case)
    labels = labels_of(found)
    assert (labels["operations"], labels["operand_types"], labels["suite"]) == ([operation], [kind], SUITE)


def cut_factors(call: Call, result: Array) -> Array:
    """Sums of factors that have 10 fraction bits, as TF32 has them."""
    first, second = (tf32(np.asarray(argument.value)) for argument in list(call.inputs.values())[:2])
    return (first.reshape(-1, second.shape[1]) @ second.T).reshape(result.shape).astype(result.dtype)


def tf32(numbers: Array) -> Array:
    """float32 without its last 13 bits."""
    return (np.ascontiguousarray(numbers).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def test_the_position_of_a_failure() -> None:
    """Products in TF32 fail where float32 is wanted; the evidence says that it is TF32 and no more than that."""
    target = Target("careless", in_process=True, factory=lambda: ChangedResults((OT.FULLY_CONNECTED,), cut_factors))
    for finished in ended(target, "DotProduct/FULLY_CONNECTED.float32.one_sign"):
        shares = finished.outcome.evidence["positions"]["FULLY_CONNECTED TENSOR_FLOAT32"]
        assert finished.outcome.verdict is Verdict.FAIL
        assert shares["ieee-strict"] > 1
        assert shares["bf16x3"] > 1
        assert shares["tf32"] <= 1
    relaxed = "DotProduct/FULLY_CONNECTED.relaxed.one_sign"
    for finished in ended(target, relaxed):
        assert finished.outcome.verdict is Verdict.PASS
        assert "FULLY_CONNECTED TENSOR_FLOAT32 relaxed" in finished.outcome.evidence["positions"]


def test_convolutions_of_images_have_grades_of_their_own() -> None:
    """Fast algorithms are chosen for them alone; positions of such algorithms say nothing of other windows."""
    target = Target("reference", in_process=True)
    names = {
        name
        for finished in ended(target, "ImageConvolution/CONV_2D.*.4_channels", "DotProduct/CONV_2D.float16.uniform")
        for name in finished.outcome.evidence["positions"]
    }
    kinds = ("TENSOR_FLOAT32 3x3", "TENSOR_FLOAT32 relaxed 3x3", "TENSOR_FLOAT16 3x3", "TENSOR_FLOAT16")
    assert names == {f"CONV_2D {kind}" for kind in kinds}
