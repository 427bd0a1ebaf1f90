"""Answers that a driver may give, and the findings that all others become."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import OUT_OF_MEMORY
from nnvet.fuzz.findings import MEANINGS, FindingKind, FuzzFinding
from nnvet.fuzz.target import FuzzedDriver, finding_of_death, open_fuzzed
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.transport.wire.failures import DeathEvidence, DriverCrash

TARGET = FuzzedDriver(BaseDevice(), Target("reference", in_process=True))


def raising(error: Exception) -> Callable[[], None]:
    """A call that ends with an error."""

    def call() -> None:
        raise error

    return call


def test_results_and_refusals_are_answers() -> None:
    """A driver's results and the errors by which it refuses are answers."""
    refusal = HalError(ErrorStatus.INVALID_ARGUMENT, "no", "model/operand.type")
    assert TARGET.ask(lambda: 7) == 7
    assert TARGET.ask(raising(refusal)) is refusal


@pytest.mark.parametrize(
    ("error", "kind", "rule"),
    [
        (ZeroDivisionError("division"), FindingKind.EXCEPTION, "driver/exception"),
        (MemoryError(), FindingKind.MEMORY, "driver/memory"),
        (failure("the driver raised ValueError: x (driver.py:3 in f)", "driver/exception"), "exception", None),
        (HalError(ErrorStatus.NONE, "fine"), FindingKind.EXCEPTION, "driver/reply"),
        (HalError(ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, OUT_OF_MEMORY), FindingKind.MEMORY, "driver/memory"),
    ],
)
def test_everything_else_is_a_finding(error: Exception, kind: str, rule: str | None) -> None:
    """Exceptions, running out of memory, errors that nobody decided on, and statuses that are none of errors."""
    with pytest.raises(FuzzFinding) as caught:
        TARGET.ask(raising(error))
    assert caught.value.kind == kind
    assert caught.value.rule == (rule or "driver/exception")


def test_keys_tell_findings_apart_by_place_and_not_by_message() -> None:
    """Kind, rule and place make a finding; the same with another message is the same."""
    one, same, other = (
        FuzzFinding(FindingKind.EXCEPTION, "driver/exception", message, place=place)
        for message, place in (("first", "ValueError in a.py f"), ("second", "ValueError in a.py f"), ("first", "g"))
    )
    assert one.key == same.key != other.key
    assert one.key.startswith("exception-driver-exception-")


def death(stacks: str, output: str = "", signal: str = "SIGSEGV") -> FuzzFinding:
    """The finding of a service that died in native code, while Python was where it always is."""
    evidence = DeathEvidence(
        "PreparedModel.execute_synchronously",
        f"killed by {signal}",
        signal=signal,
        place="driver.py:20 in compute",
        stderr_tail=output,
        native_stacks=stacks,
    )
    return finding_of_death(DriverCrash("it died", evidence))


STACK = "thread 1:\n  copy at pool.cpp:{line} (libdriver.so)\n  {caller} at run.cpp:7 (libdriver.so)\n"
REPORT = """==7==ERROR: AddressSanitizer: {kind} on address 0x602000000011 at pc 0x7f0000001000
WRITE of size 4 at 0x602000000011 thread T0
    #0 0x7f0000001000 in copy /src/pool.cpp:{line}
    #1 0x7f0000002000 in run /src/run.cpp:7

SUMMARY: AddressSanitizer: {kind} /src/pool.cpp:{line} in copy
"""


def test_crashes_differ_by_what_happened() -> None:
    """Signal, frames of the driver and the kind that a sanitizer names each make another finding; nothing else does."""
    different = [
        death(""),
        death("", signal="SIGBUS"),
        death(STACK.format(line=3, caller="run")),
        death(STACK.format(line=3, caller="prepare")),
        death(STACK.format(line=4, caller="run")),
        death("", REPORT.format(kind="heap-buffer-overflow", line=3)),
        death("", REPORT.format(kind="heap-use-after-free", line=3)),
        death("", REPORT.format(kind="heap-use-after-free", line=4)),
    ]
    assert len({finding.key for finding in different}) == len(different)
    assert death(STACK.format(line=3, caller="run"), "something else").key == different[2].key
    assert [finding.kind for finding in different[4:6]] == [FindingKind.DEATH, FindingKind.SANITIZER]
    assert different[5].evidence["report"].startswith("==7==ERROR")
    assert "pool.cpp:3 in copy" in different[5].place


def test_a_service_that_dies_is_a_finding_and_starts_anew(tmp_path: Path) -> None:
    """The death of the process becomes a finding; the next call is answered by a fresh one."""
    driver = tmp_path / "dying.py"
    driver.write_text(
        "import os\n"
        "from nnvet.driver_kit.base_device import BaseDevice\n"
        "class Dying(BaseDevice):\n"
        "    def get_capabilities(self):\n"
        "        os.abort()\n"
    )
    with open_fuzzed(Target(f"python:{driver}:Dying")) as target:
        with pytest.raises(FuzzFinding) as caught:
            target.ask(target.device.get_capabilities)
        assert caught.value.kind is FindingKind.DEATH
        assert target.ask(target.device.get_version_string) == "1.0"


def test_every_kind_has_a_meaning() -> None:
    """The table of the docs has a row for each kind."""
    page = (Path(__file__).parents[2] / "docs" / "fuzzing.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    rows = {row[0]: row[1] for row in cells}
    assert set(MEANINGS) == set(FindingKind)
    assert {kind.value: meaning for kind, meaning in MEANINGS.items()}.items() <= {
        name.strip("`"): text for name, text in rows.items()
    }.items()
