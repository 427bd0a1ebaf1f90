"""Answers that a driver may give, and the findings made of all others."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from nnvet.adapters.driver import Driver
from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import OUT_OF_MEMORY
from nnvet.fuzz.findings import MEANINGS, FindingKind, FuzzFinding
from nnvet.fuzz.harness import HARNESSES, CutOffError, Harness, NothingToFuzzError
from nnvet.fuzz.target import FuzzedDriver, finding_of_death, open_fuzzed, restart
from nnvet.hal.enums import DeviceType, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.transport.wire.failures import DeathEvidence, DriverCrash
from tests.adapters.agents import TOKEN, listening, relay_to, service_of

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


@contextmanager
def cut_off_often(_: Target) -> Iterator[Callable[[bytes], None]]:
    """An input is cut off in as many runs as its first byte says; the second byte counts the runs."""

    def run(data: bytes) -> None:
        assert isinstance(data, bytearray)
        data[1] += 1
        if data[1] <= data[0]:
            raise CutOffError("the link is lost")

    yield run


def test_an_input_that_is_cut_off_is_run_again() -> None:
    """Two losses are made good by the third run; three are an error without a rule, so that no driver is blamed."""
    with Harness("cut", "", cut_off_often, list).open(Target("reference")) as run:
        twice, always = bytearray([2, 0]), bytearray([9, 0])
        run(twice)
        with pytest.raises(FuzzFinding) as caught:
            run(always)
    assert (twice[1], always[1]) == (3, 3)
    assert (caught.value.kind, caught.value.rule) == (FindingKind.CUT_OFF, "")


class Replaced:
    """Stands for a driver that is started anew."""

    starts = 0

    def restart(self) -> None:
        """Count."""
        self.starts += 1


def test_only_a_death_is_a_finding() -> None:
    """Both ways the driver is started anew; a loss that is the suite's own is none of the driver's."""
    driver = Replaced()
    for evidence, kind in (
        (DeathEvidence("call", "killed by SIGSEGV", signal="SIGSEGV"), FuzzFinding),
        (DeathEvidence("call", "out of reach", suite_fault="the link is lost"), CutOffError),
    ):
        assert type(restart(cast("Driver", driver), DriverCrash("it is gone", evidence))) is kind
    assert driver.starts == 2


@pytest.mark.long
def test_a_link_that_is_cut_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The input during which a real link is cut runs again, on a fresh driver; the next inputs reach it, too."""
    monkeypatch.setenv("NNVET_TOKEN", TOKEN)
    answers: list[bytes] = []
    with listening(tmp_path, service_of("reference:minimal")) as agent, relay_to(agent) as relay:

        @contextmanager
        def asking(target: Target) -> Iterator[Callable[[bytes], None]]:
            with open_fuzzed(target) as fuzzed:

                def run(data: bytes) -> None:
                    if data == b"cut" and not answers:
                        answers.append(b"cut now")
                        relay.cut()
                    assert fuzzed.ask(fuzzed.device.get_type) is DeviceType.CPU
                    answers.append(data)

                yield run

        with Harness("ask", "", asking, list).open(Target(f"tcp:127.0.0.1:{relay.port}")) as run:
            run(b"cut")
            run(b"next")
    assert answers == [b"cut now", b"cut", b"next"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["burst", "frames"])
def test_what_needs_this_machine_is_not_fuzzed_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Message queues and further sockets do not go over a link; neither is held against the driver."""
    monkeypatch.setenv("NNVET_TOKEN", TOKEN)
    with (
        listening(tmp_path, service_of("reference:minimal")) as agent,
        pytest.raises(NothingToFuzzError, match="another machine"),
        HARNESSES[name].open(Target(agent.selector)),
    ):
        pytest.fail("it was opened")


def test_every_kind_has_a_meaning() -> None:
    """The table of the docs has a row for each kind."""
    page = (Path(__file__).parents[2] / "docs" / "fuzzing.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    rows = {row[0]: row[1] for row in cells}
    assert set(MEANINGS) == set(FindingKind)
    assert {kind.value: meaning for kind, meaning in MEANINGS.items()}.items() <= {
        name.strip("`"): text for name, text in rows.items()
    }.items()
