"""Keys of the ``evidence`` of a logged case that reports know, and functions that read them.

The suite writes the evidence, and all reports read it by these functions. All keys are optional; reports show further
keys as they are. :class:`Evidence` explains every key, and constants name the keys that several modules use. At the end
are the words and keys of stress tests. ``events.py`` defines the event that contains the evidence.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypedDict

import msgspec

from nnvet.hal.specification import page_of, section_of
from nnvet.reports.events import NO_CASES, CaseFinished, RunStarted, Verdict
from nnvet.reports.pictures import PICTURE, picture_lines, picture_of
from nnvet.reports.values import printable

SPEC: Final = "spec"
"""Key with file and line of a wrong spec that ended with ERROR, for which the suite is not to blame."""

BY_WORKER: Final = "by_worker"
"""Key of the verdicts by worker, if a failure ends differently on another worker of a cluster."""

CONFIRMED: Final = "confirmed"
"""Key in ``timings``: a verdict that depends on time was confirmed when the case ran alone."""

UNCONFIRMED: Final = "unconfirmed"
"""Key in ``timings``: a verdict that depends on time was not confirmed when the case ran alone."""

LOST_LINKS: Final = "lost_links"
"""Key in ``timings``: reasons why links to the driver were lost; the case ran again after each loss."""

_WORD_ENDS: Final = re.compile(r"\W")
"""Characters that separate the words of a case id or of a rule."""

HUNG_IN: Final = "hung_in"
"""Key in ``timings``: the places at which the driver's threads were when it did not answer."""

STACK_LINES: Final = 12
"""Most lines of native stacks that the console shows; the report has all."""

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
    """The evidence of a verdict.

    ``sentence`` is the rule's text, ``advice`` what to do about it, ``replay`` a command line, ``vector`` a file.

    The driver's faults: ``raised`` is the kind and place of an exception, ``place`` the place of a fatal signal. For a
    fault in native code, ``fault`` is its kind with the sanitizer that reported it, ``frames`` are the driver's top
    frames, and ``beside`` is what else was wrong. ``stderr_tail`` is what the process printed during the case.
    ``exit_code`` and ``signal`` are those of a process that died; ``memory_limit`` is the limit in bytes for which it
    was killed.

    Repetitions: ``again`` is the verdict of a failure that did not fail when it ran again. ``alone``, ``suspects``,
    ``culprit`` and ``failed_before`` are the results of running a case, and those before it, on fresh drivers after a
    death. ``by_worker`` has the verdicts of workers that do not agree.

    ``timings`` has everything that differs between equal runs, so comparisons leave it out: bytes in use, processor
    time used while the suite waited (``processor_s``), the load of a busy machine (``load``), a verdict by time that
    was confirmed (``confirmed``) or not (``unconfirmed``) when the case ran alone, the id of the process that died
    (``pid``), or of all that died during the case and its repetitions (``pids``), reasons of lost links
    (``lost_links``), native stacks (``native_stacks``), places in a Python driver (``hung_in``), the path or fate of a
    core file (``core``), and the worker of a cluster that ran the case (``worker``), or all workers that made a
    finding, counted (``found_by``).

    Judgement: ``waiver`` is the entry that forgives a WAIVED case, and ``waived`` the verdict that it had. ``crossed``
    names the limit that was crossed in a case judged by error bounds: ``tolerance`` (the contract is broken) or
    ``bound``. ``quality`` is the rule, reason and worst element of a PASS outside of the bound. ``positions`` has, by
    operation and type, the shares of the limits of stated numeric positions that an answer uses; None if undecided.
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


_Covered = Annotated[str, msgspec.Meta(pattern=r"^\S+ \S+ -?[0-9]{1,9} \S+ (-|[0-9]{1,9}(,[0-9]{1,9})*)$")]
"""An operation, type, rank, feeding operations and items: a line that ``reports/accuracy.py`` takes apart."""


class _Counted(TypedDict, total=False):
    """The keys that reports compute with. Values of all others are shown, whatever they are."""

    frames: list[str]
    positions: dict[str, dict[str, float | None]]
    elements: int
    undecided: int
    accuracy: dict[str, float]
    covers: list[_Covered]


class StressSamples(TypedDict, total=False):
    """Samples of the processes of a stress test; a row has the values of :data:`SAMPLE_FIELDS`."""

    fields: list[str]
    rows: list[tuple[float, str, float, float, float, float, float]]


class StressTimings(TypedDict, total=False):
    """The keys of a stress test's ``timings`` that its chapter of the report lays out."""

    done: int | None
    refused: dict[str, int]
    latency_ms: dict[str, float]
    phases: list[tuple[str, float]]
    timeline: StressSamples


class _OfStress(TypedDict, total=False):
    timings: StressTimings


def check_form(result: CaseFinished) -> None:
    """Check those parts of a case's evidence that reports compute with: a log may come from anybody.

    :raises msgspec.ValidationError: one has another form.
    """
    msgspec.convert(result.evidence, _Counted)
    if "undecided" in result.evidence and not result.evidence.keys() >= {"covers", "elements", "accuracy"}:
        raise msgspec.ValidationError("Object missing `covers`, `elements` or `accuracy` beside `undecided`")
    if STRESS_LABEL in result.labels:
        msgspec.convert(result.evidence, _OfStress)


def worker_of(result: CaseFinished) -> str:
    """Return the worker of a cluster that ran a case; "" if this machine did."""
    return str(_timings(result).get("worker") or "")


def native_stacks_of(result: CaseFinished) -> str:
    """Return the native stacks of the threads of a driver's process when it died or hung; "" if none are known."""
    return str(_timings(result).get("native_stacks") or "")


def frames_of(result: CaseFinished) -> list[str]:
    """Return the top frames of a fault in native code, a line for each."""
    frames = result.evidence.get("frames")
    return [f"in {frame}" for frame in frames] if isinstance(frames, list) else []


def maker_of(result: CaseFinished) -> str:
    """Return the operation that is tested, or whose output is wrong; empty if the id or the rule names it already."""
    name = str(result.evidence.get("made_by") or "") or (result.operations[0] if len(result.operations) == 1 else "")
    words = _WORD_ENDS.sub("_", f"_{result.case}_{result.rule}_").upper()
    return "" if f"_{name}_" in words else name


def names_cause(result: CaseFinished) -> bool:
    """Return True if a result names the place in a driver, or the only operation, that is at fault."""
    evidence = result.evidence
    known = evidence.get("place") or evidence.get("raised") or evidence.get("made_by") or hung_in(result)
    return bool(known) or len(result.operations) == 1


def hung_in(result: CaseFinished) -> str:
    """Return the place of a Python driver that did not answer, such as ``driver.py:33 in compute``; "" if unknown."""
    return str(_timings(result).get(HUNG_IN) or "")


def core_of(result: CaseFinished) -> str:
    """Return the path or fate of a core file; "" if no core was asked for."""
    return str(_timings(result).get("core") or "")


STEADY: Final = "confirmed"
"""A repeated case ended as before."""
FLAKY: Final = "flaky"
"""A repeated case ended differently."""


def again_of(result: CaseFinished) -> tuple[str, str]:
    """Return how a repeated case ended: FLAKY or STEADY, and a phrase; two empty texts if it was not repeated.

    Disagreeing workers of a cluster count as a repetition.
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
    """Return evidence as lines for terminals: a line for each key, or a block for a value of several lines.

    Characters that would control the terminal are escaped, because a driver may have written them.
    """
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
    """Return the command line that runs one case again like this run; entries that are not cases get another folder."""
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
    """Return the command line in the evidence; without one, make it from the case's id."""
    return str(result.evidence.get("replay") or replay_command(run, result.case))


STRESS_VERDICTS: Final = {
    Verdict.PASS: "SUCCESS",
    Verdict.FAIL: "FAILURE",
    Verdict.HANG: "HANG",
    Verdict.CRASH: "CRASH",
}
"""Verdicts of crash tests in the words of MLTS; all other verdicts keep their names."""

STRESS_LABEL: Final = "stress"
"""Label of a case that is a stress test; its value is the word for the verdict."""
TIMELINE: Final = "timeline"
"""Key of the samples of a stress test in the evidence's ``timings``; :class:`StressSamples` has their form."""
SAMPLE_FIELDS: Final = ("time_s", "role", "cpu_percent", "memory_bytes", "descriptors", "threads", "processes")
"""Fields of a sample, in this order: sums over the processes of a role."""


def stress_verdict(verdict: Verdict) -> str:
    """Return the word for a verdict of a stress test."""
    return STRESS_VERDICTS.get(verdict, verdict.value)
