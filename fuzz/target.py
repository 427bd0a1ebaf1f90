"""The driver of a harness: in this process, where its coverage guides the fuzzer, or in a service of its own.

A harness opens it with :func:`open_fuzzed`, and makes all calls through :meth:`FuzzedDriver.ask`, which turns deaths,
faults and exceptions of the driver into findings.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from nnvet.adapters.driver import Driver
from nnvet.adapters.selector import create_device
from nnvet.adapters.service.sandbox import Sandbox
from nnvet.conformance.engine.target import Target, open_target
from nnvet.diagnostics.exceptions import raised, raised_in, traceback_of
from nnvet.diagnostics.native_faults import NativeFault, find_fault
from nnvet.driver_kit.base_prepared_model import OUT_OF_MEMORY
from nnvet.fuzz.findings import ChildConfig, FindingKind, FuzzFinding
from nnvet.fuzz.harness import CutOffError
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import UNINTENDED, HalError
from nnvet.hal.interfaces import Device
from nnvet.reference_driver import limits
from nnvet.transport.wire.failures import DriverBloat, DriverGone, DriverHang

T = TypeVar("T")
_ALLOWED: Final = frozenset(ErrorStatus) - {ErrorStatus.NONE, ErrorStatus.DEAD_OBJECT}
"""Statuses with which a driver may refuse a call."""


def target_of(config: ChildConfig) -> Target:
    """Return the driver under test of a job's process, with its limits."""
    sandbox = None if config.sandbox is None else Sandbox(config.sandbox)
    limit = config.memory_mib << 20
    return Target(config.driver, config.in_process, config.timeout_s, memory_limit=limit, sandbox=sandbox)


def service_of(config: ChildConfig) -> Target:
    """Return the same driver under test, always in a service of its own."""
    return replace(target_of(config), in_process=False)


class FuzzedDriver:
    """A driver that gets all calls of a harness. A driver in a service is started anew after its death."""

    def __init__(self, device: Device, target: Target, driver: Driver | None = None) -> None:
        """Use ``device``, or the device of ``driver``, whose process may die."""
        self._device = device
        self._driver = driver
        self.target = target
        self.timeout_s = target.timeout_s
        self.feature_level = self.device.get_feature_level()

    @property
    def device(self) -> Device:
        """Return the device, which is a new one after the driver has died."""
        return self._device if self._driver is None else self._driver.device

    def ask(self, call: Callable[[], T]) -> T | HalError:
        """Return the result of a call to the driver, or the error by which the driver refuses it.

        :raises FuzzFinding: the driver dies, hangs, raises another exception, or refuses with a status that is no
            error.
        :raises CutOffError: the connection to the driver was lost.
        :raises OutOfReachError: the same, and the driver cannot be reached again.
        """
        try:
            return call()
        except HalError as error:
            _check_refusal(error)
            return error
        except DriverGone as gone:
            raise (finding_of_death(gone) if self._driver is None else restart(self._driver, gone)) from gone
        except (FuzzFinding, CutOffError):
            raise
        except MemoryError as error:
            _raise_finding(FindingKind.MEMORY, "driver/memory", error)
        except Exception as error:  # noqa: BLE001 - whatever else a driver raises is a finding
            _raise_finding(FindingKind.EXCEPTION, "driver/exception", error)


@contextmanager
def open_fuzzed(target: Target) -> Iterator[FuzzedDriver]:
    """Open the driver under test for as long as the block runs.

    :raises SelectorError: there is no such driver.
    :raises DriverGone: it crashes or hangs while it starts.
    """
    if target.in_process:
        with _low_limits():
            # The harness calls the driver directly: a layer between them would take time and add coverage of its own.
            yield FuzzedDriver(create_device(target.selector), target)
        return
    with open_target(target) as driver:
        yield FuzzedDriver(driver.device, target, driver)


_LOW_LIMITS: Final = {"ELEMENTS": 2**20, "HELD_BYTES": 2**26, "PRODUCTS": 2**26, "ROUNDS": 2**13, "STEPS": 10**4}
"""Low limits for the bundled driver: inputs within them are fast, so a slow input shows work that no limit covers."""


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


def restart(driver: Driver, gone: DriverGone) -> FuzzFinding | CutOffError:
    """Restart a driver whose process has ended; return its finding, or an error if only the connection was lost."""
    driver.restart()
    return CutOffError(gone.evidence.suite_fault) if gone.evidence.suite_fault else finding_of_death(gone)


def finding_of_death(gone: DriverGone) -> FuzzFinding:
    """Return the finding of a driver that is gone, with the report of a sanitizer if it printed one."""
    evidence = gone.evidence.as_dict()
    fault = find_fault(f"{gone.evidence.stderr_tail}\n{gone.evidence.native_stacks}")
    if fault is not None and fault.tool:
        return finding_of_fault(fault, gone.rule, str(fault), evidence)
    if isinstance(gone, DriverHang):
        # The place at which a hanging driver is found when the time is over is random.
        return FuzzFinding(FindingKind.HANG, gone.rule, str(gone), evidence, gone.evidence.call)
    end = gone.evidence.end
    place = _without_line(end) if gone.evidence.place else f"{end} in {gone.evidence.call}"
    if isinstance(gone, DriverBloat):
        return FuzzFinding(FindingKind.MEMORY, gone.rule, str(gone), evidence, place)
    if fault is not None and fault.places:
        return finding_of_fault(fault, gone.rule, str(gone), evidence)
    return FuzzFinding(FindingKind.DEATH, gone.rule, str(gone), evidence, place)


def finding_of_fault(fault: NativeFault, rule: str, message: str, evidence: Mapping[str, Any]) -> FuzzFinding:
    """Return the finding of a fault in native code; two are the same only if kind and top frames are."""
    reported = {**evidence, "report": fault.report} if fault.report else evidence
    kind = FindingKind.SANITIZER if fault.tool else FindingKind.DEATH
    return FuzzFinding(kind, rule, message, reported, f"{fault} ({fault.fingerprint})")


def place_of(error: BaseException) -> str:
    """Return the type of an exception, with file and function of the innermost frame."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name} {frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{where}"


def _raise_finding(kind: FindingKind, rule: str, error: Exception) -> NoReturn:
    evidence = {"traceback": traceback_of(error)}
    raise FuzzFinding(kind, rule, f"the driver {raised(error)}", evidence, place_of(error)) from error


def _check_refusal(error: HalError) -> None:
    """Check that a refusal has the status of an error, and that the driver has decided on it."""
    if error.rule in UNINTENDED:
        place = _without_line(raised_in(error.message)) or _without_details(error.message)
        raise FuzzFinding(FindingKind.EXCEPTION, error.rule, error.message, place=place) from error
    if error.status not in _ALLOWED:
        message = f"the driver refuses with status {error.status!r}"
        raise FuzzFinding(FindingKind.EXCEPTION, "driver/reply", message, place=str(error.status)) from error
    if error.message.endswith(OUT_OF_MEMORY):
        raise FuzzFinding(FindingKind.MEMORY, "driver/memory", error.message, place=error.rule) from error


def _without_line(place: str) -> str:
    """Return a place such as ``ValueError at driver.py:33 in f`` without the number of the line."""
    words = [word.partition(":")[0] if ".py:" in word else word for word in place.split(" ")]
    return " ".join(words)


def _without_details(message: str) -> str:
    """Return a message such as ``ADD cannot be computed: ValueError: shapes (2,)`` without the exception's own text."""
    return ": ".join(message.split(": ")[:2])
