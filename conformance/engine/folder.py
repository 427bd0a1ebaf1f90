"""The folder of a run's results: one run at a time writes into it, and a run that broke off can be continued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from nnvet.adapters.service.locking import FolderBusyError, alone_in
from nnvet.reports.events import OF_A_MODEL, OF_THE_DRIVER, CaseFinished, Measurement, RunStarted, Verdict
from nnvet.reports.log import LogError, read_log

_KEPT: Final = tuple(verdict for verdict in Verdict if verdict not in (Verdict.NOT_RUN, Verdict.ERROR))
_SAME: Final = ("command", "suite_version", "level", "seed", "shard", "selection", "options")


@contextmanager
def results_in(folder: Path) -> Iterator[None]:
    """No other run writes into the folder, which is made, while the block runs.

    :raises LogError: another does, or there can be no such folder.
    """
    with ExitStack() as stack:
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(alone_in(folder))
        except OSError as error:
            reason = error.strerror or error
            raise LogError(f"{folder}: cannot be the folder of the results ({reason}); choose another --out") from error
        except FolderBusyError as error:
            raise LogError(f"{folder}: another run is writing here; wait for it, or choose another --out") from error
        try:
            yield
        finally:
            if is_new:
                # A run that did not begin leaves nothing; one that did has left its log.
                with suppress(OSError):
                    folder.rmdir()


def read_finished(path: Path, started: RunStarted) -> tuple[CaseFinished, ...]:
    """The cases that an earlier run of the same plan has finished, in their order; none if there is no log.

    What was found outside of cases, and what was not run or failed in the suite, is not among them.

    :raises LogError: the log is that of another run, or cannot be read.
    """
    if not path.exists():
        return ()
    log = read_log(path)
    same = all(getattr(log.started, name) == getattr(started, name) for name in _SAME)
    if not same or log.started.driver.selector != started.driver.selector:
        raise LogError(
            f"{path}: the log of another driver, suite, selection or options; choose another --out, or no --resume"
        )
    return tuple(
        result
        for result in log.results.values()
        if result.verdict in _KEPT and not result.case.startswith(OF_THE_DRIVER)
    )


def read_measured(path: Path, kept: Sequence[CaseFinished]) -> tuple[Measurement, ...]:
    """The measurements of an earlier run whose models are finished: the verdict on each driver is among the kept cases.

    :raises LogError: the log cannot be read.
    """
    verdicts = Counter(str(case.labels.get("model", "")) for case in kept if case.suite == OF_A_MODEL)
    measurements = read_log(path).measurements
    drivers = Counter(measurement.model for measurement in measurements if not measurement.is_baseline)
    return tuple(
        measurement
        for measurement in measurements
        if drivers[measurement.model] and verdicts[measurement.model] == drivers[measurement.model]
    )
