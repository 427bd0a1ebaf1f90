"""JUnit XML for continuous integration: one test suite for each part of the suite, one test case for each case.

FAIL, HANG and CRASH are failures; ERROR and cases that never ended are errors; all others except PASS are skipped. A
problem of the run as a whole (no footer, expired waivers) is the error of an additional test case, so that no CI shows
an incomplete run as passed.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.evidence import native_stacks_of, replay_command, without_stacks
from nnvet.reports.log import Log
from nnvet.reports.outcome import RunOutcome, judge
from nnvet.reports.pictures import PICTURE
from nnvet.reports.values import json_safe, printable

ELEMENTS: Final = {
    Verdict.FAIL: "failure",
    Verdict.HANG: "failure",
    Verdict.CRASH: "failure",
    Verdict.ERROR: "error",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.WAIVED: "skipped",
    Verdict.NOT_RUN: "skipped",
}
"""JUnit's element for each verdict other than PASS."""

EXPLAINED_SIZE: Final = 10_000_000
"""Most characters of messages and explanations together; the rest is cut."""

_BRIEF: Final = 200
"""Most characters of a message."""
_LEFT_OUT: Final = "the evidence is in the log: this file would be too large with it"
"""Text of a failure in a file that would become too large."""
_TALLIES: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}
"""Attribute that counts each element."""

_WITHOUT_FAULT: Final = (RunOutcome.CONFORMANT, RunOutcome.NO_FAULT, RunOutcome.MEASURED)
"""Outcomes of runs that found no fault."""
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


def render_junit(log: Log) -> str:
    """Return the whole document; what there is of explanations beyond ``EXPLAINED_SIZE`` is left to the log."""
    suites: defaultdict[str, list[ET.Element]] = defaultdict(list)
    size = 0
    for result in log.results.values():
        case = _case(result, log, is_brief=size > EXPLAINED_SIZE)
        size += sum(len(part.text or "") + len(part.get("message", "")) for part in case)
        suites[result.suite].append(case)
    suites["nnvet run"] += [_broken_off(case) for case in log.unfinished] + _run_errors(log)
    root = ET.Element("testsuites", name=_clean(f"nnvet {log.started.driver.selector}"))
    verdict = judge(log).headline
    root.extend(_suite(name, cases, log, verdict) for name, cases in suites.items() if cases)
    _tally(root, root.iter("testcase"))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(name: str, cases: Sequence[ET.Element], log: Log, verdict: str) -> ET.Element:
    # The format only has local times without an offset; here they are in UTC.
    suite = ET.Element("testsuite", name=_clean(name), timestamp=log.started.time[:19])
    _tally(suite, cases)
    properties = ET.SubElement(suite, "properties")
    driver = log.started.driver
    facts = {"driver": driver.selector, "driver version": driver.version, "nnvet": log.started.suite_version}
    facts["verdict"] = verdict
    for key, value in facts.items():
        ET.SubElement(properties, "property", name=key, value=_clean(value))
    suite.extend(cases)
    return suite


def _tally(element: ET.Element, cases: Iterable[ET.Element]) -> None:
    cases = list(cases)
    element.set("tests", str(len(cases)))
    for attribute, tag in _TALLIES.items():
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.6f}")


def _case(result: CaseFinished, log: Log, *, is_brief: bool) -> ET.Element:
    classname = ".".join([result.suite, *(result.operations if len(result.operations) == 1 else ())])
    case = _element(result.case, classname, result.duration_s)
    if tag := ELEMENTS.get(result.verdict):
        message = ": ".join(part for part in (result.verdict, result.rule, result.reason) if part)
        element = ET.SubElement(case, tag, message=_clean(_cut(message) if is_brief else message))
        if tag != "skipped":
            element.set("type", result.verdict)
            element.text = _LEFT_OUT if is_brief else _clean(_explanation(result, log))
    return case


def _cut(message: str) -> str:
    return message if len(message) <= _BRIEF else f"{message[:_BRIEF]}…"


def _explanation(result: CaseFinished, log: Log) -> str:
    evidence = {"replay": replay_command(log.started, result.case)} | without_stacks(result.evidence)
    evidence.pop(PICTURE, None)
    if stacks := native_stacks_of(result):
        evidence["native_stacks"] = f"\n{stacks}"
    return "\n".join(f"{key}: {json_safe(value)}" for key, value in evidence.items())


def _broken_off(case: str) -> ET.Element:
    element = _element(case, "nnvet run", 0.0)
    ET.SubElement(element, "error", message="the run broke off during this case", type="INCOMPLETE")
    return element


def _run_errors(log: Log) -> list[ET.Element]:
    """Return a failing test case for the run, unless the other test cases show how it ended."""
    judgement = judge(log)
    is_clean = log.is_complete and log.finished is not None and not log.finished.problems
    has_faults = any(log.counts[verdict] for verdict in DRIVER_FAULTS)
    if is_clean and (has_faults or judgement.outcome in _WITHOUT_FAULT):
        return []
    element = _element("the run as a whole", "nnvet run", 0.0)
    ET.SubElement(element, "error", message=_clean("; ".join(judgement.causes)), type=judgement.outcome)
    return [element]


def _element(name: str, classname: str, seconds: float) -> ET.Element:
    return ET.Element("testcase", name=_clean(name), classname=_clean(classname), time=f"{seconds:.6f}")


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
