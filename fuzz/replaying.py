"""Rerun of a single input of a harness, in this process or in a child process that the input may kill.

The child process is ``python -m nnvet.fuzz.replaying CONFIG FILE``. It prints its finding as JSON; if it dies or hangs,
the death or the hang is the finding.
"""

from __future__ import annotations

import faulthandler
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import msgspec
from msgspec.structs import replace

from nnvet.adapters.selector import SelectorError
from nnvet.diagnostics.exceptions import place_of_crash, raised, traceback_of
from nnvet.diagnostics.native_faults import find_fault
from nnvet.fuzz.findings import ChildConfig, FindingKind, FuzzFinding
from nnvet.fuzz.harness import HARNESSES, NothingToFuzzError, OneInput
from nnvet.fuzz.leaks import LeakCheck
from nnvet.fuzz.native_edges import enable_preload, environment_of, kill_group
from nnvet.fuzz.target import finding_of_fault, place_of, target_of

_START_S: Final = 60.0
"""Seconds that the process may take to start, before the input runs."""
_TAIL: Final = 8000
"""Number of characters at the end of the standard error that a finding keeps."""


def finding_in(one_input: OneInput, data: bytes) -> FuzzFinding | None:
    """Run an input in this process, and return the finding of the harness, if any."""
    try:
        one_input(data)
    except FuzzFinding as finding:
        return finding
    except Exception as error:  # noqa: BLE001 - a fault of the suite is a finding, too
        return finding_of_exception(error)
    return None


def finding_of_exception(error: Exception) -> FuzzFinding:
    """Make a finding of an exception that a harness did not catch: it is an error of the suite."""
    evidence = {"traceback": traceback_of(error)}
    return FuzzFinding(FindingKind.EXCEPTION, "", f"the suite {raised(error)}", evidence, place_of(error))


def finding_in_process(config: ChildConfig, file: Path) -> FuzzFinding | None:
    """Run an input in a child process, and return its finding, or that the process died or hung."""
    command = [sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.fuzz.replaying"]
    arguments = [*command, msgspec.json.encode(config).decode(), str(file)]
    limit = 2 * (_START_S + config.timeout_s)
    # Files, not pipes: the symbolizer that a sanitizer starts may outlive the process and would keep a pipe open.
    with TemporaryFile() as printed, TemporaryFile() as errors:
        # A session of its own: if Ctrl-C reached the process, its end would look like a crash.
        process = subprocess.Popen(
            arguments,
            stdout=printed,
            stderr=errors,
            start_new_session=True,
            env=environment_of(in_process=config.in_process),
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            return FuzzFinding(FindingKind.HANG, "driver/hang", f"an input takes more than {limit} s")
        finally:
            kill_group(process)
        finding = _outcome(code, _text_of(printed), _text_of(errors), config)
    if config.in_process and finding is not None and finding.kind is FindingKind.DEATH:
        # The native stack tells one crash from another. It is known only if the driver dies in a service process.
        again = finding_in_process(replace(config, in_process=False), file)
        return again if again is not None and again.kind is FindingKind.DEATH else finding
    return finding


def _text_of(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _outcome(code: int, printed: str, errors: str, config: ChildConfig) -> FuzzFinding | None:
    if code == _FOUND:
        parts = msgspec.json.decode(printed.splitlines()[-1], type=_Parts)
        return FuzzFinding(parts.kind, parts.rule, parts.message, parts.evidence, parts.place)
    if code == 0:
        return None
    place, fault, evidence = place_of_crash(errors), find_fault(errors), {"stderr_tail": errors[-_TAIL:]}
    if fault is not None and fault.tool:
        return finding_of_fault(fault, "driver/crash", str(fault), evidence)
    if code == 1 and "Timeout (" in errors:
        message = f"an input takes more than {config.timeout_s} s, in {place}"
        return FuzzFinding(FindingKind.HANG, "driver/hang", message, evidence)
    message = f"the process ends with {code} in {place}"
    return FuzzFinding(FindingKind.DEATH, "driver/crash", message, evidence, place.rpartition(" ")[2])


_FOUND: Final = 77
"""Exit code of a process that has printed a finding; crashes and Python itself do not use it."""


class _Parts(msgspec.Struct):
    """A finding as JSON."""

    kind: FindingKind
    rule: str
    message: str
    place: str
    evidence: dict[str, str]


def main(arguments: list[str]) -> int:
    """Run one input, print the finding as JSON, and return ``_FOUND`` if there is one."""
    enable_preload()
    config = msgspec.json.decode(arguments[0], type=ChildConfig)
    data = Path(arguments[1]).read_bytes()
    with ExitStack() as stack:
        try:
            one_input = stack.enter_context(HARNESSES[config.harness].open(target_of(config)))
        except NothingToFuzzError:
            return 0
        except SelectorError as error:
            # The input has not been run: its end would look like the driver's.
            return _print_finding(FuzzFinding(FindingKind.CUT_OFF, "", str(error)))
        # Twice the limit: the first input includes the time for lazy imports.
        faulthandler.dump_traceback_later(2 * config.timeout_s, exit=True)
        finding = finding_in(one_input, data)
        faulthandler.cancel_dump_traceback_later()
        # The check for leaks runs the input many times.
        faulthandler.dump_traceback_later(_START_S, exit=True)
        finding = finding or finding_in(LeakCheck(one_input, config.timeout_s, every=1), data)
        faulthandler.cancel_dump_traceback_later()
    return 0 if finding is None else _print_finding(finding)


def _print_finding(finding: FuzzFinding) -> int:
    evidence = {key: str(value) for key, value in finding.evidence.items()}
    parts = _Parts(finding.kind, finding.rule, finding.message, finding.place, evidence)
    sys.stdout.write(msgspec.json.encode(parts).decode() + "\n")
    return _FOUND


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
