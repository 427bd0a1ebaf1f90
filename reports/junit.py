"""JUnit XML for continuous integration: one test suite for each part of the suite, one test case for each case.

FAIL, HANG and CRASH are failures, ERROR and cases that never ended errors, the others but PASS are skipped. What
makes a run as a whole count for less (no footer, expired waivers) is an error of a test case of its own, so that no
CI shows an incomplete run as passed.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from nnvet.reports.events import DRIVER_FAULTS, CaseFinished, Verdict
from nnvet.reports.evidence import replay_command
from nnvet.reports.log import Log
from nnvet.reports.outcome import RunOutcome, judge
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

_TALLIES: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


@dataclass(frozen=True, slots=True)
class _TestCase:
    """A test case: its element, what kind of element it holds, if any, and its duration in seconds."""

    xml: str
    kind: str
    seconds: float


def render_junit(log: Log) -> str:
    """The whole document."""
    suites: defaultdict[str, list[_TestCase]] = defaultdict(list)
    for result in log.results.values():
        suites[result.suite].append(_case(result, log))
    suites["nnvet run"] += [_broken_off(case) for case in log.unfinished] + _run_errors(log)
    every = [case for cases in suites.values() for case in cases]
    content = "".join(_suite(name, cases, log) for name, cases in suites.items() if cases)
    name = f"nnvet {log.started.driver.selector}"
    root = _element("testsuites", {"name": name, **_tally(every)}, f"\n{content}")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{root}\n'


def _suite(name: str, cases: Sequence[_TestCase], log: Log) -> str:
    driver = log.started.driver
    facts = {"driver": driver.selector, "driver version": driver.version, "nnvet": log.started.suite_version}
    properties = "".join(_element("property", {"name": key, "value": value}) for key, value in facts.items())
    content = "\n".join([_element("properties", {}, properties), *(case.xml for case in cases), ""])
    # The format knows local times without an offset only; ours is UTC.
    attributes = {"name": name, "timestamp": log.started.time[:19], **_tally(cases)}
    return _element("testsuite", attributes, f"\n{content}") + "\n"


def _tally(cases: Sequence[_TestCase]) -> dict[str, str]:
    kinds = [case.kind for case in cases]
    counts = {attribute: str(kinds.count(kind)) for attribute, kind in _TALLIES.items()}
    return {"tests": str(len(cases)), **counts, "time": f"{sum(case.seconds for case in cases):.6f}"}


def _case(result: CaseFinished, log: Log) -> _TestCase:
    classname = ".".join([result.suite, *(result.operations if len(result.operations) == 1 else ())])
    kind = ELEMENTS.get(result.verdict, "")
    if not kind:
        return _test_case(result.case, classname, result.duration_s)
    attributes = {"message": ": ".join(part for part in (result.verdict, result.rule, result.reason) if part)}
    if kind == "skipped":
        return _test_case(result.case, classname, result.duration_s, kind, attributes)
    attributes["type"] = result.verdict
    return _test_case(result.case, classname, result.duration_s, kind, attributes, _explanation(result, log))


def _explanation(result: CaseFinished, log: Log) -> str:
    evidence = {"replay": replay_command(log.started, result.case)} | result.evidence
    return "\n".join(f"{key}: {json_safe(value)}" for key, value in evidence.items())


def _broken_off(case: str) -> _TestCase:
    attributes = {"message": "the run broke off during this case", "type": "INCOMPLETE"}
    return _test_case(case, "nnvet run", 0.0, "error", attributes)


def _run_errors(log: Log) -> list[_TestCase]:
    """A test case that fails, unless the others alone tell how the run ended."""
    judgement = judge(log)
    is_clean = log.is_complete and log.finished is not None and not log.finished.problems
    has_faults = any(log.counts[verdict] for verdict in DRIVER_FAULTS)
    if is_clean and (has_faults or judgement.outcome in (RunOutcome.CONFORMANT, RunOutcome.MEASURED)):
        return []
    attributes = {"message": "; ".join(judgement.causes), "type": judgement.outcome}
    return [_test_case("the run as a whole", "nnvet run", 0.0, "error", attributes)]


def _test_case(
    name: str,
    classname: str,
    seconds: float,
    kind: str = "",
    attributes: Mapping[str, str] = MappingProxyType({}),
    text: str = "",
) -> _TestCase:
    content = _element(kind, attributes, escape(_clean(text))) if kind else ""
    own = {"name": name, "classname": classname, "time": f"{seconds:.6f}"}
    return _TestCase(_element("testcase", own, content), kind, seconds)


def _element(tag: str, attributes: Mapping[str, str], content: str = "") -> str:
    """An element; its content is markup already, its attributes are not."""
    quoted = "".join([f" {key}={quoteattr(_clean(value))}" for key, value in attributes.items()])
    return f"<{tag}{quoted}>{content}</{tag}>" if content else f"<{tag}{quoted} />"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
