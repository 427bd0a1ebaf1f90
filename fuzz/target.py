"""The driver that a harness asks: in this process, where coverage guides the fuzzer, or in a service of its own."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from nnvet.adapters.drivers import Driver, open_driver
from nnvet.adapters.selector import create_device
from nnvet.adapters.service.memory import DEFAULT_LIMIT
from nnvet.diagnostics.exceptions import raised, raised_in, traceback_of
from nnvet.driver_kit.launch import OUT_OF_MEMORY
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import UNINTENDED, HalError
from nnvet.hal.interfaces import Device
from nnvet.reference_driver import limits
from nnvet.transport.wire.failures import DriverBloat, DriverGone, DriverHang

T = TypeVar("T")
SANITIZER_REPORTS: Final = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:", "WARNING: MemorySan")
"""Of what a process has printed, lines with one of these begin a sanitizer's report."""
_ALLOWED: Final = frozenset(ErrorStatus) - {ErrorStatus.NONE, ErrorStatus.DEAD_OBJECT}


@dataclass(frozen=True)
class DriverChoice:
    """Which driver is fuzzed, and its limits: seconds for a call, bytes for a service (None: any number)."""

    selector: str = "reference"
    in_process: bool = True
    timeout_s: float = 5.0
    memory_limit: int | None = DEFAULT_LIMIT


class FuzzTarget:
    """A driver that is asked. One in a service is started anew when it has died."""

    def __init__(self, device: Device, choice: DriverChoice, driver: Driver | None = None) -> None:
        """Ask ``device``, or the device of ``driver``, whose process may die."""
        self._device = device
        self._driver = driver
        self.choice = choice
        self.timeout_s = choice.timeout_s
        self.feature_level = self.device.get_feature_level()

    @property
    def device(self) -> Device:
        """The device; another one after the driver has died."""
        return self._device if self._driver is None else self._driver.device

    def ask(self, call: Callable[[], T]) -> T | HalError:
        """What a call to the driver returns, or the error by which the driver refuses it.

        :raises FuzzFinding: it dies, hangs, raises anything else, or refuses with what is no status of errors.
        """
        try:
            return call()
        except HalError as error:
            _check_refusal(error)
            return error
        except DriverGone as gone:
            if self._driver is not None:
                self._driver.restart()
            raise finding_of_death(gone) from gone
        except FuzzFinding:
            raise
        except MemoryError as error:
            _raise_finding(FindingKind.MEMORY, "driver/memory", error)
        except Exception as error:  # noqa: BLE001 - whatever else a driver raises is a finding
            _raise_finding(FindingKind.EXCEPTION, "driver/exception", error)


@contextmanager
def open_target(choice: DriverChoice) -> Iterator[FuzzTarget]:
    """The driver of a choice, for as long as the block runs.

    :raises SelectorError: there is no such driver.
    :raises DriverGone: it crashes or hangs while it starts.
    """
    if choice.in_process:
        with _low_limits():
            yield FuzzTarget(create_device(choice.selector), choice)
        return
    with open_driver(choice.selector, timeout_s=choice.timeout_s, memory_limit=choice.memory_limit) as driver:
        yield FuzzTarget(driver.device, choice, driver)


_LOW_LIMITS: Final = {"ELEMENTS": 2**20, "HELD_BYTES": 2**26, "PRODUCTS": 2**26, "ROUNDS": 2**13, "STEPS": 10**4}
"""Limits of the bundled driver: what they let through is quick, so that what they miss shows."""


@contextmanager
def _low_limits() -> Iterator[None]:
    usual = {name: getattr(limits, name) for name in _LOW_LIMITS}
    try:
        for name, value in _LOW_LIMITS.items():
            setattr(limits, name, value)
        yield
    finally:
        for name, value in usual.items():
            setattr(limits, name, value)


def finding_of_death(gone: DriverGone) -> FuzzFinding:
    """The finding of a driver that is gone, with the report of a sanitizer if it printed one."""
    evidence = gone.evidence.as_dict()
    report = sanitizer_report(gone.evidence.stderr_tail)
    if report:
        evidence["report"] = report
        return FuzzFinding(FindingKind.SANITIZER, gone.rule, report.splitlines()[0], evidence, place_of_report(report))
    kind = FindingKind.DEATH
    if isinstance(gone, DriverBloat):
        kind = FindingKind.MEMORY
    elif isinstance(gone, DriverHang):
        kind = FindingKind.HANG
    # Where a driver is when nobody waits any longer is another place each time.
    place = gone.evidence.call if kind is FindingKind.HANG else _without_line(gone.evidence.end)
    return FuzzFinding(kind, gone.rule, str(gone), evidence, place)


def sanitizer_report(output: str) -> str:
    """The report of a sanitizer in what a process has printed, from its first line on; "" if there is none."""
    lines = output.splitlines()
    starts = [number for number, line in enumerate(lines) if any(mark in line for mark in SANITIZER_REPORTS)]
    return "\n".join(lines[starts[0] :]) if starts else ""


def place_of_report(report: str) -> str:
    """What a sanitizer calls the error, and the first function of the stack that has a source line."""
    lines = report.splitlines()
    what = lines[0].partition("Sanitizer: ")[2].split(" ")[0]
    frames = [
        line.split(" in ", 1)[1].split(" ")[0] for line in lines if line.strip().startswith("#") and " in " in line
    ]
    own = [frame for frame in frames if not frame.startswith(("__", "_Py", "Py"))]
    return f"{what} in {own[0]}" if own else what


def place_of(error: BaseException) -> str:
    """Type of an exception, with file and function of the innermost frame."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name} {frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{where}"


def _raise_finding(kind: FindingKind, rule: str, error: Exception) -> NoReturn:
    evidence = {"traceback": traceback_of(error)}
    raise FuzzFinding(kind, rule, f"the driver {raised(error)}", evidence, place_of(error)) from error


def _check_refusal(error: HalError) -> None:
    """A refusal has a status of errors, and the driver has decided on it."""
    if error.rule in UNINTENDED:
        place = _without_line(raised_in(error.message)) or _without_details(error.message)
        raise FuzzFinding(FindingKind.EXCEPTION, error.rule, error.message, place=place) from error
    if error.status not in _ALLOWED:
        message = f"the driver refuses with status {error.status!r}"
        raise FuzzFinding(FindingKind.EXCEPTION, "driver/reply", message, place=str(error.status)) from error
    if error.message.endswith(OUT_OF_MEMORY):
        raise FuzzFinding(FindingKind.MEMORY, "driver/memory", error.message, place=error.rule) from error


def _without_line(place: str) -> str:
    """``ValueError at driver.py:33 in f`` without the number of the line."""
    words = [word.partition(":")[0] if ".py:" in word else word for word in place.split(" ")]
    return " ".join(words)


def _without_details(message: str) -> str:
    """``ADD cannot be computed: ValueError: shapes (2,) and (3,)`` without what the exception says."""
    return ": ".join(message.split(": ")[:2])
