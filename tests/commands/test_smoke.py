"""``nnvet smoke``: what it says of a driver in which one thing is wrong."""

from pathlib import Path

import pytest
from typer.testing import Result

from nnvet.conformance.engine.session import Target
from nnvet.conformance.smoke import RESULTS, answers
from tests.commands.test_utilities import nnvet

DRIVERS = Path(__file__).parent / "first_drivers.py"


def smoke(name: str, *options: str) -> Result:
    """Of a driver of the file beside this one."""
    return nnvet("smoke", "-d", f"python:{DRIVERS}:{name}", *options)


def headings(result: Result) -> dict[str, str]:
    """The mark of each question by its first word."""
    lines = [line for line in result.output.splitlines() if line[:5].strip() in {"ok", "WRONG", "-"}]
    return {line.split()[1]: line.split()[0] for line in lines}


FIRST_WRONG = {
    "Subtracts": ("computes", "FAIL RandomModels/Bounds", "expected "),
    "ForgetsActivations": ("computes", "FAIL RandomModels/Bounds", "expected "),
    "Crashes": ("computes", "CRASH RandomModels/Bounds", "SIGSEGV"),
    "Hangs": ("computes", "HANG RandomModels/Bounds", "no answer"),
    "Raises": ("supports", "AttributeError", "'Operation' object has no attribute 'kind'"),
    "AcceptsAll": ("answers", "FAIL BasicTest/CycleTest", "not INVALID_ARGUMENT"),
    "Empty": ("supports", "nothing is claimed", "getSupportedOperations"),
    "Nameless": ("answers", "FAIL BasicTest/CreateDevice", "the name is empty"),
}
"""Of each driver the first question with a wrong answer, and what is said beneath."""


@pytest.mark.parametrize("name", FIRST_WRONG)
def test_what_is_wrong_is_said_at_the_first_question_that_shows_it(name: str) -> None:
    """The cause is on the screen, and what to do."""
    result = smoke(name)
    assert result.exit_code == 1, result.output
    question, *said = FIRST_WRONG[name]
    found = headings(result)
    wrong = [one for one in found if found[one] == "WRONG"]
    assert wrong[:1] == [question], result.output
    beneath = result.output.partition("WRONG")[2]
    for text in (*said, "what to do: "):
        assert text in beneath
    assert f"{len(wrong)} to mend" in result.output


def test_what_is_not_wrong_is_not_called_so() -> None:
    """All six questions of a right driver, and of one without operations all but what needs some."""
    result = smoke("Adder")
    assert result.exit_code == 0, result.output
    assert set(headings(result).values()) == {"ok"}
    assert len(headings(result)) == 6
    assert "go on with nnvet run -d python:" in result.output
    assert list(headings(smoke("Empty")).values()) == ["ok", "ok", "WRONG", "-", "-", "-"]


def test_a_driver_that_cannot_start() -> None:
    """The user's mistake, with its place."""
    result = smoke("cannot_start")
    assert result.exit_code == 2
    assert "RuntimeError: no board" in result.output
    assert "first_drivers.py, line" in result.output


def test_results_take_the_time_that_is_left() -> None:
    """One model at least; no further one is begun when the time is over. The clock goes on by a second per look."""
    now = iter(range(1000))
    target = Target(f"python:{DRIVERS}:Adder", in_process=True)
    for seconds, models in ((0, 1), (5, 5)):
        (found,) = (one for one in answers(target, seconds, lambda: next(now)) if one.question is RESULTS)
        assert found.passed == models
