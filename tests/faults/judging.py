"""Judgement of a try under a fault: a clear error, or no difference, and nothing recorded lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nnvet.reports.log import Log, LogError, read_log
from tests.faults.injector import RUNNER, SERVICE, Fault, text_of
from tests.faults.lab import Ended, Try
from tests.faults.scenarios import Scenario

_UNEXPECTED: Final = ("Traceback (most", "internal error", "Exception ignored", "Exception in thread", "stack trace")
_CODES: Final = (0, 1, 2, 3, 4)
_ERRORS: Final = (2, 3)


def complaints(scenario: Scenario, undisturbed: Try, disturbed: Try, fault: Fault) -> Iterator[str]:
    """Yield the effects of a fault that it must not have."""
    if disturbed.ended is None:
        yield f"the command did not end: {disturbed.printed[-300:]!r}"
        return
    yield from (f"unexpected: {disturbed.printed[-600:]!r}" for text in _UNEXPECTED if text in disturbed.printed)
    yield from _leaks(disturbed.ended)
    if disturbed.ended.again != scenario.code and not _keeps(scenario, disturbed.ended):
        yield f"the same command undisturbed afterwards ends with {disturbed.ended.again}: {disturbed.printed[-300:]!r}"
    if disturbed.ended.code not in _CODES:
        yield f"exit code {disturbed.ended.code}"
    if undisturbed.log.exists():
        yield from _of_logs(scenario, undisturbed, disturbed, fault)
    elif disturbed.ended.code != scenario.code and text_of(fault.error) not in disturbed.printed:
        yield f"exit code {disturbed.ended.code} without a word of the cause: {disturbed.printed[-300:]!r}"


def _keeps(scenario: Scenario, ended: Ended) -> bool:
    """Return True if the command continues where it ended, with a verdict caused by the fault."""
    return "--resume" in scenario.arguments and ended.again == ended.code == 1


def _leaks(ended: Ended) -> Iterator[str]:
    left = {"descriptors": ended.descriptors, "threads": ended.threads, "processes": ended.processes}
    yield from (f"{what} stay: {', '.join(names)}" for what, names in left.items() if names)


def _of_logs(scenario: Scenario, undisturbed: Try, disturbed: Try, fault: Fault) -> Iterator[str]:
    assert disturbed.ended is not None
    try:
        log = read_log(disturbed.first_log) if disturbed.first_log.exists() else None
        whole = read_log(undisturbed.log)
        after = read_log(disturbed.log) if scenario.is_repeated else whole
    except LogError as error:
        yield f"the log cannot be read: {error}"
        return
    expected = {case: result.verdict for case, result in whole.results.items()}
    if {case: result.verdict for case, result in after.results.items()} != expected and not _keeps(
        scenario, disturbed.ended
    ):
        yield "the undisturbed run afterwards has other verdicts"
    yield from _lost(disturbed, fault)
    found = {} if log is None else {case: result.verdict for case, result in log.results.items()}
    yield from (
        f"{case} is {found[case]} instead of {verdict}"
        for case, verdict in expected.items()
        if case in found and verdict != "PASS" and found[case] == "PASS"
    )
    if disturbed.ended.code in _ERRORS and "nnvet: " in disturbed.printed:
        yield from _unclear(disturbed, fault)
    elif log is not None:
        yield from _unexplained(log, expected, fault, is_other=disturbed.ended.code != scenario.code)
        blamed = [case for case, verdict in found.items() if verdict == "FAIL" != expected.get(case)]
        if blamed and fault.role == RUNNER and SERVICE in scenario.roles:
            yield f"a fault of the suite's is blamed on the driver: {', '.join(blamed)}"


def _lost(disturbed: Try, fault: Fault) -> Iterator[str]:
    """Yield the lines that were in the log when the fault struck and are gone."""
    if not disturbed.first_log.exists():
        return
    before = disturbed.notes.read_bytes().splitlines(keepends=True)
    now = disturbed.first_log.read_bytes().splitlines(keepends=True)
    if before and now and before[0] != now[0] and now[0].endswith(b"\n"):
        # A run that was not to go on has replaced what there was, as it should.
        return
    whole = [line for line in before if line.endswith(b"\n") and b"case_finished" in line]
    if lost := [line for line in whole if line not in now]:
        yield f"{len(lost)} lines of the log are lost: {lost[0][:200]!r}"


def _unclear(disturbed: Try, fault: Fault) -> Iterator[str]:
    said = [line for line in disturbed.printed.splitlines() if line.startswith("nnvet: ")]
    if len(said) != 1:
        yield f"{len(said)} messages instead of one: {disturbed.printed[-300:]!r}"
    elif text_of(fault.error) not in said[0]:
        yield f"the message does not say the cause: {said[0]}"


def _unexplained(log: Log, expected: dict[str, str], fault: Fault, *, is_other: bool) -> Iterator[str]:
    """Verdicts that came of the fault have to say so; the exit code is another if, and only if, they count."""
    other = [result for case, result in log.results.items() if result.verdict != expected.get(case)]
    if is_other and not other:
        yield "another exit code, although no verdict is another"
    # A file of specs that cannot be read is an ERROR, and its cases are not there.
    is_whole = len(log.results) >= len(expected) or any(case.startswith("load/") for case in log.results)
    if not is_whole or log.finished is None:
        yield f"{len(log.results)} of {len(expected)} verdicts, and no message"
    for result in other:
        text = f"{result.reason} {result.evidence}"
        if result.verdict == "ERROR" and text_of(fault.error) not in text:
            yield f"{result.case} is {result.verdict} without a word of the cause: {text[:300]}"
