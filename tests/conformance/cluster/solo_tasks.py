"""Tasks for workers that have a machine to themselves; marks are left in ``NNVET_TEST_FOLDER``."""

import os
import signal
import time
from pathlib import Path

import psutil

from nnvet.adapters import SelectorError
from nnvet.conformance.cluster.solo import Described

_PATIENCE_S = 30.0
_MOMENT_S = 0.2
_FOLDER = Path(os.environ.get("NNVET_TEST_FOLDER", "."))


def has_everything() -> Described:
    """Return the models that the worker's file ``models`` lists; none if there is a file ``without``."""
    if Path("without").exists():
        raise SelectorError("no such driver here")
    own = Path("models")
    return Described((), {"models": own.read_text() if own.exists() else "A"})


def takes_a_moment(name: str) -> str:
    """Leave a line of when it began and ended."""
    begin = time.time()
    time.sleep(_MOMENT_S)
    (_FOLDER / f"mark-{name}").write_text(f"{begin} {time.time()}")
    return name


def meets_another(name: str) -> bool:
    """Wait until two such tasks are under way."""
    (_FOLDER / f"met-{name}").touch()
    end = time.monotonic() + _PATIENCE_S
    while len(list(_FOLDER.glob("met-*"))) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    return len(list(_FOLDER.glob("met-*"))) == 2


def kills_workers(times: int) -> str:
    """So many attempts kill the worker."""
    for number in range(times):
        mark = _FOLDER / f"killed-{number}"
        if not mark.exists():
            mark.touch()
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(_PATIENCE_S)
    return "lived"


def dies() -> None:
    """The process of the task goes, and the worker stays."""
    os.abort()


def stays() -> None:
    """Start another process, as a driver's service is one, and stay for long."""
    psutil.Popen(["sleep", "1000"])
    (_FOLDER / "staying").touch()
    time.sleep(1000)
