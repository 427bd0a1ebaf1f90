"""Merger of the logs of a run's shards into one log, for ``nnvet report``.

Shards are parts of a run, made with ``--shard I/N``, often on different machines. Logs of one machine's several workers
need no merger: they share one log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from nnvet.reports.events import OF_THE_DRIVER, CaseFinished, ProfileResult
from nnvet.reports.log import EventLog, Log, LogError
from nnvet.reports.outcome import exit_code_of, judge, outcome_of, unmet_profiles

_SAME: Final = {
    "command": "command",
    "suite_version": "version of nnvet",
    "level": "feature level",
    "seed": "seed",
    "selection": "selection",
    "options": "options",
}
"""Fields of the header that are equal in all shards of a run."""


Profiles = Callable[[Log, Sequence[str]], Sequence[ProfileResult]]
"""Function that checks all profiles on a log, whose footer will have these problems."""


def merge(logs: Sequence[Log], path: Path, profiles: Profiles = lambda *_: ()) -> Log:
    """Write the logs of the shards of a run as one log, and return it; missing shards are named in it.

    ``profiles`` judges the whole, which has to conform to the wanted profiles of all shards.

    :raises LogError: they belong to different runs, a shard is repeated, or the log cannot be written.
    """
    _check_alike(logs)
    numbers, count = _shards(logs)
    missing = [number for number in range(1, count + 1) if number not in numbers]
    first = logs[0].started
    shard = "1/1" if not missing else f"{'+'.join(map(str, sorted(numbers)))}/{count}"
    started = msgspec.structs.replace(first, shard=shard, planned=None, time=min(log.started.time for log in logs))
    results = _results([logs[numbers[number]] for number in sorted(numbers)])
    gaps = [f"shard {number}/{count} is missing" for number in missing]
    gaps += [f"{log.path}: {cause}" for log in logs if not log.is_complete for cause in judge(log).causes]
    problems = [problem for log in logs if log.finished is not None for problem in log.finished.problems]
    with EventLog.create(path, started, results) as merged:
        for log in logs:
            for measurement in log.measurements:
                merged.measurement(measurement)
            for reduction in log.reductions:
                merged.reduction(reduction)
        outcome = outcome_of(
            merged.counts, measured=bool(merged.so_far.measurements), faults=bool(problems), gaps=bool(gaps)
        )
        longest = max((log.finished.duration_s for log in logs if log.finished is not None), default=0.0)
        footers = [log.finished for log in logs if log.finished is not None]
        cut_short = bool(gaps) or any(footer.cut_short for footer in footers)
        all_problems = (*gaps, *dict.fromkeys(problems))
        judged = profiles(merged.so_far, all_problems)
        wanted = tuple(dict.fromkeys(name for footer in footers for name in footer.wanted))
        waivers = {name: digest for footer in footers for name, digest in footer.waivers.items()}
        unmet = bool(unmet_profiles(judged, wanted))
        code = exit_code_of(outcome, merged.so_far, cut_short=bool(gaps), unmet=unmet)
        merged.finish(code, all_problems, longest, cut_short=cut_short, profiles=judged, wanted=wanted, waivers=waivers)
        return merged.so_far


def _check_alike(logs: Sequence[Log]) -> None:
    first = logs[0]
    for log in logs[1:]:
        for field, name in _SAME.items():
            here, there = getattr(first.started, field), getattr(log.started, field)
            if here != there:
                raise LogError(f"{log.path}: the {name} is {there!r}, in {first.path} it is {here!r}: not one run")
        for field in ("selector", "name", "version", "feature_level"):
            here, there = getattr(first.started.driver, field), getattr(log.started.driver, field)
            if here != there:
                raise LogError(f"{log.path}: the driver's {field} is {there!r}, in {first.path} it is {here!r}")
        if log.fuzzing or log.space is not None:
            raise LogError(f"{log.path}: not the log of nnvet run, whose shards alone can be put together")


def _shards(logs: Sequence[Log]) -> tuple[dict[int, int], int]:
    """Return the place of each shard's log among the logs, and how many shards there are.

    :raises LogError: a log is that of no shard, of another division, or of a shard that is there already.
    """
    numbers: dict[int, int] = {}
    counts = set()
    for place, log in enumerate(logs):
        number, _, count = log.started.shard.partition("/")
        if not (number.isdecimal() and count.isdecimal()) or int(count) == 1:
            raise LogError(f"{log.path}: not the log of a shard (nnvet run --shard I/N), it is {log.started.shard}")
        if int(number) in numbers:
            other = logs[numbers[int(number)]].path
            raise LogError(f"{log.path}: shard {log.started.shard} is that of {other}, too")
        numbers[int(number)] = place
        counts.add(int(count))
    if len(counts) > 1:
        raise LogError(f"shards of {' and of '.join(map(str, sorted(counts)))} parts are not of one run")
    return numbers, counts.pop()


def _results(logs: Iterable[Log]) -> list[CaseFinished]:
    """Return all cases; what several shards have found about the driver itself is there once for each.

    :raises LogError: a case is in two logs.
    """
    found: dict[str, CaseFinished] = {}
    for log in logs:
        for result in log.results.values():
            case = result.case
            if case in found and not case.startswith(OF_THE_DRIVER):
                raise LogError(f"{log.path}: {case} is in another log, too")
            number = 2
            while case in found:
                case, number = f"{result.case}#{number}", number + 1
            found[case] = result if case == result.case else msgspec.structs.replace(result, case=case)
    return list(found.values())
