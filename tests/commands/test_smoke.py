"""``nnvet smoke``: its output about drivers with one fault."""

import re
from functools import cache
from pathlib import Path

import pytest
from typer.testing import Result

from nnvet.conformance.engine.target import Target
from nnvet.conformance.smoke import RESULTS, answers
from tests.commands.test_utilities import nnvet

LINES, COLUMNS = 24, 160
"""The screen of a notebook's terminal; the paths of the drivers here are long."""
DRIVERS = Path(__file__).parents[1] / "drivers" / "first_drivers.py"


@cache
def smoke(name: str, *options: str) -> Result:
    """Of a driver of the file beside this one; all models are tried, however busy the machine."""
    return nnvet("smoke", "-d", f"python:{DRIVERS}:{name}", "--seconds", "60", *options)


def headings(result: Result) -> dict[str, str]:
    """The mark of each question by its first word."""
    lines = [line for line in result.output.splitlines() if line[:5].strip() in {"ok", "WRONG", "-"}]
    return {line.split()[1]: line.split()[0] for line in lines}


FIRST_WRONG = {
    "Subtracts": ("computes", "FAIL ADD of TENSOR_FLOAT32: RandomModels/Bounds", "expected "),
    "ForgetsActivations": ("computes", "FAIL ADD of TENSOR_FLOAT32: RandomModels/Bounds", "expected "),
    "Crashes": (
        "computes",
        "CRASH ADD of TENSOR_FLOAT32: RandomModels/Bounds",
        "SIGSEGV in first_drivers.py:63 in add",
    ),
    "Hangs": ("computes", "HANG ADD of TENSOR_FLOAT32: RandomModels/Bounds", "it was in first_drivers.py:69 in add"),
    "Raises": ("supports", "AttributeError", "'Operation' object has no attribute 'kind'"),
    "AcceptsAll": ("answers", "FAIL BasicTest/CycleTest", "not INVALID_ARGUMENT"),
    "Empty": ("supports", "nothing is claimed", "getSupportedOperations"),
    "Nameless": ("answers", "FAIL BasicTest/CreateDevice", "the name is empty"),
}
"""Of each driver the first question with a wrong answer, and what is said beneath."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FIRST_WRONG)
def test_what_is_wrong_is_said_at_the_first_question_that_shows_it(name: str) -> None:
    """The cause is on the screen, and what to do."""
    result = smoke(name)
    assert result.exit_code == 1, result.output
    question, *said = FIRST_WRONG[name]
    found = headings(result)
    wrong = [driver for driver in found if found[driver] == "WRONG"]
    assert wrong[:1] == [question], result.output
    beneath = result.output.partition("WRONG")[2]
    for text in (*said, "what to do: "):
        assert text in beneath
    assert f"{len(wrong)} to mend" in result.output


@pytest.mark.long
def test_what_crashes_have_in_common_is_said() -> None:
    """The line, and the attribute: the driver is started again to find it."""
    beneath = smoke("CrashesAtRankOne").output.partition("WRONG")[2]
    assert re.search(
        r"CRASH ADD of TENSOR_FLOAT32: RandomModels/Bounds.*\n.*SIGSEGV in first_drivers.py:\d+ in add", beneath
    )
    assert re.search(r"in common: ADD: all \d+ failures have rank 1; of \d+ cases that pass none has it", beneath)


CAUSES = {
    "ZeroPoint": r"FAIL ADD of TENSOR_QUANT8.*\n.*all elements are as if the zero point of input1 were 0, not \d+",
    "HalfSums": r"FAIL FULLY_CONNECTED .*\n.*errors of both signs, as large as those of sums or products in float16",
    "RankOne": r"SIGSEGV in planted.py:\d+ in kernel(.*\n)+.*in common: RELU: all \d+ failures have rank 1; of ",
    "SamePadding": r"FAIL MAX_POOL_2D .*\n.*all elements are as if the odd row or column of padding SAME came first",
    "Leak": r"FAIL LeakTest/Soak/executions\n.*the driver holds [\d,]+ bytes of memory more",
}


@pytest.mark.long
@pytest.mark.parametrize("name", CAUSES)
def test_planted_bugs_are_named_with_their_cause(name: str) -> None:
    """A zero point, sums in float16, a crash at one rank, padding SAME, memory that is kept."""
    result = nnvet("smoke", "-d", f"python:{DRIVERS.with_name('planted.py')}:{name}", "--seconds", "30")
    assert result.exit_code == 1
    assert re.search(CAUSES[name], result.output), result.output


ADVICE = {
    "Subtracts": "docs/contract/operations/ADD.md says what it computes",
    "Crashes": "mend the line that is named",
    "Raises": "mend the line that is named",
    "Hangs": "no call may take that long",
    "AcceptsAll": "refuse it with INVALID_ARGUMENT",
    "Empty": "nothing is claimed: answer True for what can run",
}


@pytest.mark.parametrize("name", ADVICE)
def test_advice_is_about_what_failed(name: str) -> None:
    """The first thing to do is about the kind of failure, and all that was asked is on one screen of 24 lines."""
    result = smoke(name)
    assert result.output.partition("what to do: ")[2].startswith(ADVICE[name])
    assert sum(-(-len(line) // COLUMNS) for line in result.output.splitlines()) <= LINES


def test_what_is_not_wrong_is_not_called_so() -> None:
    """All seven questions of a right driver, and of one without operations all but what needs some."""
    result = smoke("Adder")
    assert result.exit_code == 0, result.output
    assert set(headings(result).values()) == {"ok"}
    assert len(headings(result)) == 7
    assert "go on with nnvet run -d python:" in result.output
    assert list(headings(smoke("Empty")).values()) == ["ok", "ok", "WRONG", "-", "-", "-", "-"]


def test_a_driver_that_cannot_start() -> None:
    """The user's mistake, with its place."""
    result = smoke("cannot_start")
    assert result.exit_code == 2
    assert "RuntimeError: no board" in result.output
    assert "first_drivers.py, line" in result.output


@pytest.mark.long
def test_a_leak_of_each_execution_is_named() -> None:
    """Four kilobytes, on a driver that is right otherwise."""
    result = nnvet("smoke", "-d", "zoo:leaks-little", "--seconds", "0")
    assert result.exit_code == 1, result.output
    assert headings(result)["gives"] == "WRONG"
    beneath = result.output.partition("WRONG")[2]
    assert re.search(r"cycles of the same work the driver holds 4,\d{3} bytes of memory more", beneath)
    assert "what to do: free at the end of an execution what it has allocated" in beneath


def test_without_time_some_operations_are_tried_all_the_same() -> None:
    """Eight models, two of each operation; the number of operations is given beside the passed models."""
    target = Target("reference", in_process=True)
    (found,) = (answer for answer in answers(target, 0.0) if answer.question is RESULTS)
    assert (len(found.ended), found.failed) == (8, [])
    assert re.match(r"4 of \d{2,} operations in this time", found.note)


@pytest.mark.long
def test_results_take_the_time_that_is_left() -> None:
    """Eight models at least; no further one is begun when the time is over.

    The clock goes on by a second per look: of five seconds four looks find some left.
    """
    now = iter(range(1000))
    target = Target(f"python:{DRIVERS}:Adder", in_process=True)
    for seconds, models in ((0, 8), (5, 12)):
        (found,) = (answer for answer in answers(target, seconds, lambda: next(now)) if answer.question is RESULTS)
        assert found.passed == models
