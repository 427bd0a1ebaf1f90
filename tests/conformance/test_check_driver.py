"""``check_driver``, with which authors test their drivers."""

from pathlib import Path

import pytest

from nnvet.adapters import SelectorError
from nnvet.conformance import check_driver
from nnvet.conformance.engine.selection import SelectionError
from nnvet.reference_driver import create
from nnvet.reference_driver.zoo.runs import divide_by_zero

SPEC = """
a, b = Input("a", ("TENSOR_FLOAT32", [2])), Output("b", ("TENSOR_FLOAT32", [2]))
Model().Operation("RELU", a).To(b)
Example({a: [-1.5, 2.5], b: [0.0, 2.5]}).DisableLifeTimeVariation()
"""
ONLY = ("GeneratedTest/*", "BasicTest/*")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec file of one case."""
    path = tmp_path / "relu.mod.py"
    path.write_text(SPEC)
    return path


@pytest.mark.parametrize("driver", ["reference", lambda: create("")], ids=["selector", "function"])
def test_a_right_driver(driver: object, spec: Path) -> None:
    """It has no fault by selector and by function, and the log tells what ran."""
    checked = check_driver(driver, only=ONLY, specs=[spec])  # type: ignore[arg-type]
    assert checked.faultless, checked
    assert checked.failures == []
    assert "GeneratedTest/sync/relu" in checked.log.results
    assert str(checked) == f"{len(checked.log.results)} PASS"


def test_a_wrong_driver(spec: Path) -> None:
    """It is not, and every failure has case, rule and reason; nothing is raised."""
    checked = check_driver(divide_by_zero, only=("GeneratedTest/sync/*",), specs=[spec], checks=False)
    assert not checked.faultless
    assert [(failure.case, failure.rule) for failure in checked.failures] == [
        ("GeneratedTest/sync/relu", "execution/status")
    ]
    assert "a bug of the driver" in str(checked)


def test_conformance_is_asserted(spec: Path) -> None:
    """The error has counts, reasons and the command of each failure; a profile that is not held is named first."""
    wrong = check_driver("zoo:run-exception", only="GeneratedTest/sync/*", specs=spec, checks=False)
    assert repr(wrong) == "<CheckedDriver: 1 FAIL>"
    with pytest.raises(AssertionError) as raised:
        wrong.assert_conformant()
    counts, failure, command = str(raised.value).splitlines()
    assert counts == "1 FAIL"
    assert failure.startswith("FAIL GeneratedTest/sync/relu [execution/status]")
    assert command.strip().startswith("nnvet replay GeneratedTest/sync/relu -d zoo:run-exception")
    right = check_driver("reference", only="BasicTest/*", specs=[spec])
    right.assert_conformant()
    with pytest.raises(AssertionError, match=r"^not conformant to speech\n"):
        right.assert_conformant("speech")


def test_of_a_function_there_is_no_command(spec: Path) -> None:
    """Its name is no selector."""
    checked = check_driver(divide_by_zero, only="GeneratedTest/sync/*", specs=spec, checks=False)
    assert "nnvet replay" not in str(checked)


def test_executions_beside_another_client_are_judged_in_all_that_they_report() -> None:
    """The owner of an object that somebody else has named gets an answer like any other, or the driver fails."""
    checked = check_driver("zoo:run-timing", only=["IsolationTest/Object/*"])
    assert [failure.rule for failure in checked.failures] == ["execution/timing"] * 3


def test_a_driver_that_supports_nothing_is_not_faultless(spec: Path) -> None:
    """A driver on which nothing was judged has proven nothing."""
    checked = check_driver("zoo:supports-nothing", only=("GeneratedTest/*",), specs=[spec], checks=False)
    assert not checked.faultless
    assert checked.failures == []


def test_results_are_kept_where_asked_for(spec: Path, tmp_path: Path) -> None:
    """With a folder there are log and page."""
    check_driver("reference", only=("GeneratedTest/sync/*",), specs=[spec], out=tmp_path / "out")
    assert (tmp_path / "out" / "run.jsonl").exists()
    assert (tmp_path / "out" / "report.html").exists()


def test_mistakes_are_reported() -> None:
    """No such driver, nothing selected, not by one of two globs, jobs for a function: an error each."""
    with pytest.raises(SelectorError):
        check_driver("nothing:at-all", only=("BasicTest/*",))
    with pytest.raises(SelectionError):
        check_driver("reference", only=("NoSuchTest/*",))
    with pytest.raises(SelectionError, match="by --only NoSuchTest"):
        check_driver("reference", only=("BasicTest/*", "NoSuchTest/*"))
    with pytest.raises(ValueError, match="selector"):
        check_driver(lambda: create(""), jobs=2)
