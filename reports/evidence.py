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
"""Key under which the ERROR of a wrong spec has the spec's file and line: the suite itself is in order."""

BY_WORKER: Final = "by_worker"
"""Key under which a failure that ends otherwise on another worker of a cluster has the verdicts by worker."""

CONFIRMED: Final = "confirmed"
"""Key under ``timings`` where a verdict by time on a busy machine says that it was confirmed."""

UNCONFIRMED: Final = "unconfirmed"
"""Key under ``timings`` where a case on a busy machine has the verdict by time that was not confirmed."""

_WORD_ENDS: Final = re.compile(r"\W")

HUNG_IN: Final = "hung_in"
"""Key under ``timings`` of the places in a driver where its threads were when it did not answer."""

STACK_LINES: Final = 12
"""Lines of native stacks that are shown on a console; the report has all."""

REPLAY_FOLDER: Final = "replay"
"""Folder for a replayed case's results, lest they overwrite the report that the command was copied from."""


class Worst(TypedDict, total=False):
    """The element that misses its tolerance by most. ``tolerance_source`` says where the tolerance comes from.

    ``bound`` is the tighter error bound where the case is judged by one, with ``bound_source``.
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
    died in the case and as it was run again (``pids``), the stacks of its threads in native code (``native_stacks``)
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
    """Top frames of a fault in native code, a line each."""
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
    """``driver.py:33 in compute`` of a driver in Python that did not answer; "" if nobody could say."""
    return str(_timings(result).get(HUNG_IN) or "")


def core_of(result: CaseFinished) -> str:
    """Return the path of a core file, or what became of it; "" if nobody has asked for one."""
    return str(_timings(result).get("core") or "")


def without_stacks(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evidence without the native stacks, which are shown as text of many lines."""
    timings = evidence.get("timings")
    if not isinstance(timings, dict) or "native_stacks" not in timings:
        return dict(evidence)
    rest = {key: value for key, value in timings.items() if key != "native_stacks"}
    others = {key: value for key, value in evidence.items() if key != "timings"}
    return {**others, "timings": rest} if rest else others


def evidence_lines(evidence: Mapping[str, Any], indent: str = "") -> list[str]:
    """Evidence as lines for terminals: a line for each key, or a block for what has keys or lines of its own."""
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
    """Places of the specification that say what was due: the rule, and the operation if the case is about one alone."""
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
