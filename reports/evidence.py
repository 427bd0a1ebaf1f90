"""The keys of ``evidence`` that reports lay out. All are optional, and further keys are shown as they are."""

import shlex
from typing import Any, Final, TypedDict

from nnvet.hal.specification import page_of, section_of
from nnvet.reports.events import CaseFinished, RunStarted

SPEC: Final = "spec"
"""Key under which the ERROR of a wrong spec has the spec's file and line: the suite itself is in order."""

REPLAY_FOLDER: Final = "replay"
"""Where a replayed case's results go, lest they overwrite the report that the command was copied from."""


_NO_CASES: Final = ("driver/", "load/")
"""Beginnings of what stands among the cases of a log and is none: a driver that does not start, a wrong spec."""


class Worst(TypedDict, total=False):
    """The element that misses its tolerance by most. ``tolerance_source`` says where the tolerance comes from."""

    output: int | str
    index: list[int]
    expected: Any
    actual: Any
    difference: float
    tolerance: float
    tolerance_source: str


class Evidence(TypedDict, total=False):
    """What a verdict rests on.

    ``sentence`` is the rule's, ``replay`` a command line, ``reduced_model`` and ``vector`` paths of saved files.
    ``raised`` is the kind of an exception of the driver and where it was raised, ``place`` where the driver's
    process got a fatal signal; ``stderr_tail`` is what the process printed during the case. ``exit_code`` and
    ``signal`` are those of one that died, ``memory_limit`` the bytes that it may have, if it was killed for having
    more. ``again`` is the verdict of a failure that was run again and did not fail; ``alone``, ``suspects``,
    ``culprit`` and ``failed_before`` are what was found out about a death after other cases, by running those and it
    on fresh drivers. ``timings`` holds all that differs between equal runs, such as the bytes that it had, the id of
    the process that died (``pid``), or of all that died in the case and as it was run again (``pids``); comparisons
    leave it out. A WAIVED case has in ``waiver`` the entry that forgives it, and in ``waived`` the verdict that it had.
    """

    sentence: str
    worst: Worst
    wrong_elements: int
    elements: int
    replay: str
    reduced_model: str
    vector: str
    exit_code: int
    signal: str
    raised: str
    place: str
    stderr_tail: str
    memory_limit: int
    waiver: str
    waived: str
    again: str
    alone: str
    suspects: list[str]
    culprit: str
    failed_before: dict[str, str]
    timings: dict[str, Any]


def stated_in(result: CaseFinished) -> tuple[str, ...]:
    """Places of the specification that say what was due: the rule, and the operation if the case is about one alone."""
    rule = (section_of(result.rule),) if result.rule else ()
    page = page_of(result.operations[0]) if len(result.operations) == 1 else page_of(result.rule)
    return rule if page in (page_of(result.rule), page_of("")) else (*rule, page)


def replay_command(run: RunStarted, case: str) -> str:
    """The command line that runs one case again as this run did; what is no case, into a folder of its own."""
    level = [] if run.level is None else ["--level", str(run.level)]
    driver = ["-d", run.driver.selector, *run.options, *level]
    if "*" in case or case.startswith(_NO_CASES):
        return shlex.join(["nnvet", "run", *driver, "--only", case, "--out", REPLAY_FOLDER])
    return shlex.join(["nnvet", "replay", case, *driver])


def replay_of(run: RunStarted, result: CaseFinished) -> str:
    """The command line that the evidence holds; otherwise that of the case."""
    return str(result.evidence.get("replay") or replay_command(run, result.case))
