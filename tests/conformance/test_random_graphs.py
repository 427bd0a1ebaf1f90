"""TestRandomGraph: listed without making anything, judged by the criteria of CTS, fair to drivers of every kind."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import run_cases
from nnvet.conformance.engine.selection import Selection, Shard
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.generators.random_graphs import generate
from nnvet.generators.random_graphs.catalogue import all_signatures, by_test
from nnvet.generators.random_graphs.named import single_tests
from nnvet.hal.enums import OperandType
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import PreparedModelCallback
from nnvet.hal.types import Model, PrepareModelConfig
from nnvet.oracle.random_graphs import (
    CONVOLUTION,
    CRITERIA,
    EXACT,
    FURTHER_CRITERIA,
    LARGE_GRAPH,
    MEDIUM,
    RELAXED,
    SMALL_GRAPH,
    STRICT,
    Criteria,
    Drift,
    compare_output,
    criteria_of,
)
from nnvet.reference_driver.device import VARIANTS, ReferenceDevice
from nnvet.reports.events import Verdict

SUITE = "TestRandomGraph"
NAMED = ("RandomModels/SingleOperationTest.", "RandomModels/RandomGraphTest.")
SPECS = Path(__file__).parent.parent / "zoo" / "specs"
T = OperandType
FLOAT, HALF, CODES, INTEGERS, TRUTHS = (
    T.TENSOR_FLOAT32,
    T.TENSOR_FLOAT16,
    T.TENSOR_QUANT8_ASYMM_SIGNED,
    T.TENSOR_INT32,
    T.TENSOR_BOOL8,
)


def own_cases() -> Iterator[Case]:
    """The cases of all checks that need no spec."""
    return (case for check in checks().values() for case in check.cases())


def cases() -> list[Case]:
    """All cases of the suite."""
    found = [case for case in own_cases() if case.name.suite == SUITE]
    assert found
    return found


def outcomes(selector: str, globs: tuple[str, ...], level: int | None = None) -> dict[str, Finished]:
    """Return the ends of cases, run in process."""
    chosen = list(Selection(globs, full=True).apply(own_cases()))
    target = Target(selector, in_process=True, timeout_s=20, level=level)
    return {event.case: event for event in run_cases(chosen, target) if isinstance(event, Finished)}


def test_names() -> None:
    """The names of CTS, each once: 179 tests of one operation, 16 small and 16 large graphs, with 50 seeds."""
    names = Counter(case.id.rpartition("/")[0] for case in cases())
    kinds = Counter(name.partition(".")[0].removeprefix(f"{SUITE}/") for name in names)
    assert kinds == {"SingleOperationTest": 179, "RandomGraphTest": 32}
    assert set(names.values()) == {50}
    assert len({case.id for case in cases()}) == 10_550
    assert f"{SUITE}/SingleOperationTest.ADD_V1_0/0" in {case.id for case in cases()}
    assert f"{SUITE}/RandomGraphTest.SmallGraph_TENSOR_FLOAT32_Rank4/49" in {case.id for case in cases()}


def test_listing_makes_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases are listed, and no graph is generated for it."""
    monkeypatch.setattr(generate, "_draft", None)
    checks()
    assert sum(1 for _ in Selection((f"{SUITE}/*",), full=True).apply(own_cases())) == 10_550


def test_usual_runs_take_a_sample() -> None:
    """Two seeds of each test, of all the others when everything is asked for; any one by its id."""
    sample = [case for case in Selection().apply(own_cases()) if case.id.startswith(SUITE)]
    assert {case.id.rpartition("/")[2] for case in sample} == {"0", "1"}
    assert len(sample) == 2 * (179 + 32)
    one = f"{SUITE}/SingleOperationTest.SOFTMAX_V1_2/37"
    assert [case.id for case in Selection((one,)).apply(own_cases())] == [one]
    everything = list(Catalogue([SPECS], with_checks=True).cases(Selection(full=True)))
    assert sum(case.id.startswith(SUITE) for case in everything) == 10_550


def test_levels_and_shards() -> None:
    """A run at a level leaves out what is newer; shards together take every case once."""
    at_1 = list(Selection((f"{SUITE}/*",), level=1, full=True).apply(own_cases()))
    kinds = {case.id.rpartition("/")[0].rpartition("_")[2] for case in at_1 if "SingleOperation" in case.id}
    assert kinds == {"0"}
    shards = [list(Selection((f"{SUITE}/*",), shard=Shard(i, 3), full=True).apply(own_cases())) for i in (1, 2, 3)]
    assert sum(map(len, shards)) == 10_550
    assert len({case.id for shard in shards for case in shard}) == 10_550


def test_criteria_of_all_tests() -> None:
    """So many tests per set as CTS has; every operation has one."""
    counted = Counter(criteria_of(test).name for test in by_test())
    assert counted == {STRICT.name: 68, RELAXED.name: 57, MEDIUM.name: 44, CONVOLUTION.name: 10}
    assert {signature.operation.name for signature in all_signatures() if signature.in_cts} == CRITERIA.keys() - {
        "DIV_V1_3"
    }


def test_further_operations_have_criteria() -> None:
    """A new operation has relaxed ones; where places, classes or hashes are found no other value will do."""
    further = {signature.operation.name for signature in all_signatures()} - CRITERIA.keys()
    assert further >= FURTHER_CRITERIA.keys()
    assert criteria_of("SOMETHING_NEW_AIDL_V9") is RELAXED
    for test in single_tests(in_cts=False):
        assert criteria_of(test.operation).name
    place = np.array([3, 4])
    assert compare_output(place + np.array([0, 1]), place, INTEGERS, criteria_of("LSH_PROJECTION_V1_0")) is not None
    assert compare_output(place + np.array([0, 1]), place, INTEGERS, criteria_of("RESHAPE_AIDL_V2")) is None
    near = np.array([1.0, 1.0 + 2e-4])
    assert compare_output(near, np.ones(2), FLOAT, criteria_of("BATCH_MATMUL_AIDL_V2")) is None
    assert compare_output(near, np.ones(2), FLOAT, EXACT) is not None
    assert compare_output(near, np.ones(2), FLOAT, EXACT.relaxed) is None


# docs/contract/random-graphs.md 8.2: a difference of a single element just inside and just outside of absolute +
# relative * |expected|.
@pytest.mark.parametrize(
    ("criteria", "kind", "expected", "inside", "outside"),
    [
        (STRICT, FLOAT, 1.0, 1.9e-6, 2.1e-6),
        (MEDIUM, FLOAT, 1.0, 1.9e-5, 2.1e-5),
        (RELAXED, FLOAT, 0.0, 0.9e-3, 1.1e-3),
        (CONVOLUTION, FLOAT, 0.0, 1.9e-2, 2.1e-2),
        (SMALL_GRAPH, FLOAT, 0.0, 0.9e-2, 1.1e-2),
        (LARGE_GRAPH, FLOAT, 0.0, 0.9e-1, 1.1e-1),
        (STRICT, HALF, 0.0, 0.9e-3, 1.1e-3),
        (MEDIUM, HALF, 0.0, 0.9e-2, 1.1e-2),
        (RELAXED, HALF, 0.0, 0.9, 1.1),
        (STRICT, CODES, 5, 1, 2),
        (MEDIUM, CODES, 5, 2, 3),
        (CONVOLUTION, CODES, 5, 10, 11),
        (LARGE_GRAPH, CODES, 5, 12, 13),
        (LARGE_GRAPH, INTEGERS, 5, 1, 2),
    ],
)
def test_single_elements(criteria: Criteria, kind: T, expected: float, inside: float, outside: float) -> None:
    """With fewer than ten elements only the elements count."""
    wanted = np.array([expected, expected])
    for off in (inside, -inside):
        assert compare_output(wanted + np.array([0, off]), wanted, kind, criteria) is None
    for off in (outside, -outside):
        wrong = compare_output(wanted + np.array([0, off]), wanted, kind, criteria)
        assert wrong is not None
        assert not isinstance(wrong, Drift)
        assert wrong.index == (1,)
        assert wrong.count == 1


@pytest.mark.parametrize(
    ("criteria", "kind", "bias"),
    [(STRICT, FLOAT, 1e-7), (MEDIUM, FLOAT, 1e-6), (RELAXED, HALF, 5e-3), (STRICT, CODES, 0.1)],
)
def test_bias(criteria: Criteria, kind: T, bias: float) -> None:
    """Ten elements that are all too large by a little are wrong together; nine are not, nor if they cancel."""
    wanted = np.zeros(10)
    wrong = compare_output(wanted + 1.01 * bias, wanted, kind, criteria)
    assert isinstance(wrong, Drift)
    assert wrong.measure == "mean difference"
    assert compare_output(wanted + 0.99 * bias, wanted, kind, criteria) is None
    assert compare_output(wanted[:9] + 1.01 * bias, wanted[:9], kind, criteria) is None
    signs = np.array([1, -1] * 5)
    assert compare_output(wanted + 1.01 * bias * signs, wanted, kind, criteria) is None


def test_bias_of_floats_is_relative() -> None:
    """Above 1 a difference counts by its share of the expected value."""
    wanted = np.full(10, 100.0)
    assert compare_output(wanted + 0.9e-4, wanted, FLOAT, MEDIUM) is None
    assert isinstance(compare_output(wanted + 1.1e-4, wanted, FLOAT, MEDIUM), Drift)


def test_mean_square() -> None:
    """Differences that cancel count by their squares: sqrt(1e-8) for medium criteria, in elements of 10."""
    wanted = np.full(10, 10.0)
    signs = np.array([1, -1] * 5)
    # Relative to 10: 0.9e-4 and 1.05e-4, of which a single element may have 1.1e-4 absolutely.
    assert compare_output(wanted + 1e-4 * signs, wanted, FLOAT, MEDIUM) is None
    wrong = compare_output(np.zeros(10) + 2 * signs, np.zeros(10), CODES, MEDIUM)
    assert isinstance(wrong, Drift)
    assert wrong.measure == "mean square difference"
    assert wrong.actual == 4


def test_what_is_not_compared() -> None:
    """Infinite and very large expected values are left out; those of float16 that are neither are compared."""
    for kind, limit in ((FLOAT, 1e3), (HALF, 1e2)):
        expected = np.array([np.inf, -np.inf, 1.01 * limit, -1.01 * limit])
        assert compare_output(np.array([1.0, np.nan, 0.0, np.inf]), expected, kind, STRICT) is None
        assert compare_output(np.array([0.9 * limit]), np.array([0.99 * limit]), kind, STRICT) is not None
    assert compare_output(np.array([np.nan]), np.array([1.0]), FLOAT, RELAXED) is not None
    assert compare_output(np.array([np.inf]), np.array([1.0]), HALF, RELAXED) is not None
    assert compare_output(np.array([70_000]), np.array([70_002]), INTEGERS, STRICT) is not None


@pytest.mark.parametrize(("elements", "allowed"), [(1, 1), (10, 1), (11, 2), (25, 3)])
def test_truth_values(elements: int, allowed: int) -> None:
    """One in ten may be wrong, rounded up, and any byte but 0 is true."""
    expected = np.zeros(elements, np.uint8)
    actual = expected.copy()
    actual[:allowed] = 7
    assert compare_output(actual, expected, TRUTHS, LARGE_GRAPH) is None
    if allowed < elements:
        actual[allowed] = 1
        assert compare_output(actual, expected, TRUTHS, LARGE_GRAPH) is not None
    assert compare_output(np.full(99, 255), np.ones(99), TRUTHS, STRICT) is None


SAMPLE = (f"{SUITE}/SingleOperationTest.*/2", f"{SUITE}/RandomGraphTest.*/[23]")


def test_the_bundled_driver_passes() -> None:
    """One seed of every operation and two of all graphs."""
    found = outcomes("reference", SAMPLE)
    assert len(found) == 179 + 64
    assert not {
        case: event.outcome.reason for case, event in found.items() if event.outcome.verdict is not Verdict.PASS
    }


@pytest.mark.parametrize("level", [1, 2, pytest.param(3, marks=pytest.mark.long)])
def test_older_drivers_are_not_judged_by_newer_models(level: int) -> None:
    """Models newer than the driver are UNSUPPORTED; there are operations and graphs for every level."""
    found = outcomes("reference", (f"{SUITE}/*/[0379]",), level)
    verdicts = Counter(event.outcome.verdict for event in found.values())
    assert verdicts.keys() == {Verdict.PASS, Verdict.UNSUPPORTED}
    passed = {case for case, event in found.items() if event.outcome.verdict is Verdict.PASS}
    assert any("RandomGraphTest" in case for case in passed)
    assert all(int(case.partition("_V1_")[2][:1]) < level for case in passed if "SingleOperation" in case)


@pytest.mark.parametrize("variant", ["minimal", "quant", "float_fast"])
def test_drivers_that_support_a_part(variant: str) -> None:
    """Models that a driver does not claim are UNSUPPORTED."""
    known = next((name for name in VARIANTS if name.startswith(variant.partition("-")[0])), None)
    assert known is not None
    found = outcomes(
        f"reference:{known}", (f"{SUITE}/SingleOperationTest.[AC]*/4", f"{SUITE}/RandomGraphTest.Small*/4")
    )
    verdicts = {event.outcome.verdict for event in found.values()}
    assert Verdict.PASS in verdicts
    assert verdicts <= {Verdict.PASS, Verdict.UNSUPPORTED}


class Refuses(ReferenceDevice):
    """Claims everything, and prepares nothing."""

    def __init__(self) -> None:
        """Make the full driver."""
        super().__init__(VARIANTS[""])

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Refuse."""
        error = failure("not today", "")
        callback.notify(error.status, None)
        raise error


def refuses() -> ReferenceDevice:
    """For ``python:FILE:NAME``."""
    return Refuses()


def test_a_claim_that_is_not_kept_fails() -> None:
    """CTS skips a driver that fails to compile what it supports."""
    found = outcomes(f"python:{__file__}:refuses", (f"{SUITE}/*Graph_TENSOR_FLOAT32_Rank2/0",))
    assert {(event.outcome.verdict, event.outcome.rule) for event in found.values()} == {
        (Verdict.FAIL, "prepare/supported")
    }


def test_failures_show_the_graph() -> None:
    """A wrong value comes with the worst element, the criteria, and the whole graph in words."""
    found = outcomes("zoo:graph-drift", (f"{SUITE}/SingleOperationTest.PRELU_V1_2/*",))
    failed = [event.outcome for event in found.values() if event.outcome.verdict is Verdict.FAIL]
    assert failed
    assert all(outcome.rule == "execution/output.value" for outcome in failed)
    assert all("medium criteria" in outcome.reason for outcome in failed)
    assert all("PRELU(" in outcome.evidence["graph"][0] for outcome in failed)


def test_further_tests() -> None:
    """Signatures that tests of CTS leave out have named tests, too; a usual run takes one seed of each."""
    found = Counter(case.id.rpartition("/")[0] for case in own_cases() if case.id.startswith(NAMED))
    singles = {name for name in found if "SingleOperationTest" in name}
    assert singles == {f"RandomModels/SingleOperationTest.{test.operation}" for test in single_tests(in_cts=False)}
    assert set(found.values()) == {50}
    usual = [case for case in Selection().apply(own_cases()) if case.id.startswith(NAMED)]
    assert {case.id.rpartition("/")[2] for case in usual} == {"0"}
    assert len(usual) == len(found)


def test_further_models_pass() -> None:
    """The bundled driver passes a seed of each test, and a driver that lacks the level of one says so."""
    ended = outcomes("reference", ("RandomModels/*Test.*/0",))
    assert {
        case: finished.outcome.reason
        for case, finished in ended.items()
        if finished.outcome.verdict is not Verdict.PASS
    } == {}
    older = outcomes("reference", ("RandomModels/SingleOperationTest.RANK_V1_3/0",), level=3)
    assert {finished.outcome.verdict for finished in older.values()} == {Verdict.UNSUPPORTED}
