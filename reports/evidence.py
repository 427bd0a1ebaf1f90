"""The keys of ``evidence`` that reports lay out. All are optional, and further keys are shown as they are."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from nnvet.hal.specification import page_of, section_of
from nnvet.reports.events import NO_CASES, CaseFinished, RunStarted
from nnvet.reports.pictures import PICTURE, picture_lines, picture_of
from nnvet.reports.values import printable

SPEC: Final = "spec"
"""Key of the spec's file and line in the ERROR of a wrong spec, for which the suite is not to blame."""

BY_WORKER: Final = "by_worker"
"""Key of the verdicts by worker, if a failure ends differently on another worker of a cluster."""

CONFIRMED: Final = "confirmed"
"""Key in ``timings`` of a verdict that depends on time, and was confirmed on a busy machine."""

UNCONFIRMED: Final = "unconfirmed"
"""Key in ``timings`` with a verdict that depends on time, and was not confirmed on a busy machine."""

LOST_LINKS: Final = "lost_links"
"""Key in ``timings`` of the reasons for which links to the driver were lost; after each the case ran again."""

_WORD_ENDS: Final = re.compile(r"\W")

HUNG_IN: Final = "hung_in"
"""Key in ``timings`` of the places at which a driver's threads were when it did not answer."""

STACK_LINES: Final = 12
"""Most lines of native stacks on a console; the report has all."""

REPLAY_FOLDER: Final = "replay"
"""Folder for a replayed case's results, so that they do not overwrite the report with the command."""


class Worst(TypedDict, total=False):
    """The element that exceeds its tolerance by most. ``tolerance_source`` names the source of the tolerance.

    ``bound`` is the tighter error bound, if the case is judged by one, with its ``bound_source``.
    """

    output: int | str
    index: list[int]
    expected: Any
    actual: Any
    difference: float
    tolerance: float
    tolerance_source: str
    bound: float
    bound_source: str


class Evidence(TypedDict, total=False):
    """Evidence of a verdict.

    ``sentence`` is the rule's, ``advice`` says what to do about it, ``replay`` is a command line, ``vector`` a file.
    ``raised`` is the kind of an exception of the driver and where it was raised, ``place`` where the driver's
    process got a fatal signal; of a fault in native code ``fault`` is its kind, with the sanitizer that reported it,
    ``frames`` are the top frames of the driver, and ``beside`` is what else was wrong. ``stderr_tail`` is what the
    process printed during the case. ``exit_code`` and ``signal`` are those of one that died, ``memory_limit`` the bytes
    that it may have, if it was killed for having
    more. ``again`` is the verdict of a failure that was run again and did not fail; ``alone``, ``suspects``,
    ``culprit`` and ``failed_before`` are what was found out about a death after other cases, by running those and it
    on fresh drivers. ``timings`` holds all that differs between equal runs, such as the bytes that it had, the
    processor time that it used while it was waited for (``processor_s``), the load of a busy machine (``load``), that a
    verdict by time came again there when the case was run by itself (``confirmed``), or verdict, rule and reason of one
    that did not (``unconfirmed``), the id of the process that died (``pid``), or of all that
    died in the case and as it was run again (``pids``), why links to the driver were lost before (``lost_links``),
    the stacks of its threads in native code (``native_stacks``)
    and in a driver in Python (``hung_in``), and the path of its core file, or what became of it (``core``), and the
    worker of a cluster that ran the case (``worker``), or all that have come upon a finding, with how often
    (``found_by``); comparisons leave it out. ``by_worker`` are the verdicts of workers that do not agree. A WAIVED case
    has in ``waiver`` the entry that forgives it, and in ``waived`` the verdict
    that it had. ``crossed`` says of a case that is judged by error bounds which limit was crossed, ``tolerance`` (the
    contract is broken) or ``bound``. ``quality`` is that of a PASS within the contract and outside of the bound, with
    rule, reason and worst element. ``positions`` has, by operation and type, the shares of the limits of stated numeric
    positions that an answer uses, None where one says nothing.
    """

    sentence: str
    advice: str
    worst: Worst
    wrong_elements: int
    elements: int
    replay: str
    vector: str
    exit_code: int
    signal: str
    raised: str
    place: str
    fault: str
    frames: list[str]
    beside: str
    stderr_tail: str
    memory_limit: int
    waiver: str
    waived: str
    again: str
    alone: str
    suspects: list[str]
    culprit: str
    failed_before: dict[str, str]
    by_worker: dict[str, str]
    crossed: str
    quality: dict[str, Any]
    positions: dict[str, dict[str, float | None]]
    timings: dict[str, Any]


def worker_of(result: CaseFinished) -> str:
    """Return the worker of a cluster that ran a case; "" if this machine did."""
    return str(_timings(result).get("worker") or "")


def native_stacks_of(result: CaseFinished) -> str:
    """Return the native stacks of the threads of a driver's process when it died or hung; "" if none are known."""
    return str(_timings(result).get("native_stacks") or "")


def frames_of(result: CaseFinished) -> list[str]:
    """Return the top frames of a fault in native code, one in each line."""
    frames = result.evidence.get("frames")
    return [f"in {frame}" for frame in frames] if isinstance(frames, list) else []


def maker_of(result: CaseFinished) -> str:
    """The operation that the case is about, or whose output is wrong, if neither its id nor its rule names it."""
    name = str(result.evidence.get("made_by") or "") or (result.operations[0] if len(result.operations) == 1 else "")
    words = _WORD_ENDS.sub("_", f"_{result.case}_{result.rule}_").upper()
    return "" if f"_{name}_" in words else name


def names_cause(result: CaseFinished) -> bool:
    """Return True if it names the place in a driver, or the one operation, that is at fault."""
    evidence = result.evidence
    known = evidence.get("place") or evidence.get("raised") or evidence.get("made_by") or hung_in(result)
    return bool(known) or len(result.operations) == 1


def hung_in(result: CaseFinished) -> str:
    """Return the place of a Python driver that did not answer, such as ``driver.py:33 in compute``; "" if unknown."""
    return str(_timings(result).get(HUNG_IN) or "")


def core_of(result: CaseFinished) -> str:
    """Return the path of a core file, or what became of it; "" if nobody has asked for one."""
    return str(_timings(result).get("core") or "")


STEADY: Final = "confirmed"
FLAKY: Final = "flaky"


def again_of(result: CaseFinished) -> tuple[str, str]:
    """Return how a case ended as it was run again, as a mark, FLAKY or STEADY, and in words; "" and "" if it was not.

    Workers of a cluster that do not agree are such a case, too.
    """
    evidence, timings = result.evidence, _timings(result)
    if again := evidence.get("again"):
        return FLAKY, f"run again it was {again}"
    if alone := evidence.get("alone"):
        after = f", after {evidence['culprit']} it died again" if evidence.get("culprit") else ""
        return FLAKY, f"on a fresh driver it was {alone}{after}"
    if isinstance(first := timings.get(UNCONFIRMED), dict):
        return FLAKY, f"at first it was {first.get('verdict')}, run by itself {result.verdict}"
    if isinstance(verdicts := evidence.get(BY_WORKER), dict):
        return FLAKY, "; ".join(f"{verdict} on {worker}" for worker, verdict in verdicts.items())
    return (STEADY, str(timings[CONFIRMED])) if timings.get(CONFIRMED) else ("", "")


def without_stacks(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evidence without the native stacks, which are shown as text of many lines."""
    timings = evidence.get("timings")
    if not isinstance(timings, dict) or "native_stacks" not in timings:
        return dict(evidence)
    rest = {key: value for key, value in timings.items() if key != "native_stacks"}
    others = {key: value for key, value in evidence.items() if key != "timings"}
    return {**others, "timings": rest} if rest else others


def evidence_lines(evidence: Mapping[str, Any], indent: str = "") -> list[str]:
    """Return evidence as lines for terminals: a line for each key, or a block for a value of several lines."""
    lines: list[str] = []
    for key, value in evidence.items():
        if key == PICTURE and (picture := picture_of(evidence)) is not None:
            lines += [f"{indent}{key}:", *(f"{indent}  {line}" for line in picture_lines(picture))]
        elif isinstance(value, Mapping):
            lines += [f"{indent}{key}:", *evidence_lines(value, f"{indent}  ")]
        elif isinstance(value, list | tuple) and any(isinstance(item, str) for item in value):
            lines += [f"{indent}{key}:", *(f"{indent}  {printable(str(item))}" for item in value)]
        else:
            lines.append(f"{indent}{key}: {printable(str(value))}")
    return lines


def _timings(result: CaseFinished) -> Mapping[str, Any]:
    timings = result.evidence.get("timings")
    return timings if isinstance(timings, dict) else {}


def stated_in(result: CaseFinished) -> tuple[str, ...]:
    """Return the places of the specification that a case rests on: its rule, and its operation if it has only one."""
    rule = (section_of(result.rule),) if result.rule else ()
    page = page_of(result.operations[0]) if len(result.operations) == 1 else page_of(result.rule)
    return rule if page in (page_of(result.rule), page_of("")) else (*rule, page)


def replay_command(run: RunStarted, case: str) -> str:
    """Return the command line that runs one case again as this run did; what is no case, into a folder of its own."""
    if "*" in case or case.startswith(NO_CASES):
        driver = _driver_options(run.driver.selector, run.options, run.level)
        return shlex.join(["nnvet", "run", *driver, "--only", case, "--out", REPLAY_FOLDER])
    return replay_line(case, run.driver.selector, run.options, run.level)


def replay_line(name: str, selector: str, options: Sequence[str] = (), level: int | None = None) -> str:
    """Return the command line that runs a case, a spec or a saved failure again on a driver."""
    return shlex.join(["nnvet", "replay", name, *_driver_options(selector, options, level)])


def _driver_options(selector: str, options: Sequence[str], level: int | None) -> list[str]:
    return ["-d", selector, *options, *([] if level is None else ["--level", str(level)])]


def replay_of(run: RunStarted, result: CaseFinished) -> str:
    """Return the command line that the evidence holds; otherwise that of the case."""
    return str(result.evidence.get("replay") or replay_command(run, result.case))
