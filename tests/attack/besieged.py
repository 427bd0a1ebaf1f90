"""Service processes that their clients attack; each also has an honest client, which has to be served all the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from nnvet.adapters import open_driver
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.driver import DriverUnderTest, run_one
from nnvet.conformance.engine.nearest import resolve
from nnvet.conformance.engine.target import Target
from nnvet.driver_kit.base_prepared_model import MAX_IDLE
from nnvet.hal.errors import HalError
from nnvet.reports.events import Verdict
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverGone
from tests.attack.apart import peak_mib
from tests.attack.cases import AFTERWARDS
from tests.attack.middleman import Middleman
from tests.attack.service import PATIENCE_S, Connect, DriverBehind, serving

_LOOK_S: Final = 0.02
_KEPT_THREADS: Final = MAX_IDLE + 1
"""Threads that the bundled driver keeps: those for launches, and one that looks after scratch memory."""


class Besieged:
    """A service, its process, and an honest client; ``connect`` makes connections for others."""

    def __init__(self, pid: int, connect: Connect) -> None:
        """Have the client served once, then look at what the service has open."""
        self.pid = pid
        self.connect = connect
        self._case = resolve(Catalogue(), AFTERWARDS)
        self._subject = DriverUnderTest(Target("reference", timeout_s=PATIENCE_S), DriverBehind(connect, Middleman()))
        self._first = self.wrong()
        self._before = self._open()

    @property
    def peak_mib(self) -> float:
        """The most memory that the process has had."""
        return peak_mib(self.pid)

    def wrong(self) -> str:
        """Return the faults in how the honest client and a newcomer are served."""
        return self.wrong_for_honest() or self.wrong_for_newcomer()

    def wrong_for_honest(self) -> str:
        """Return the faults in how the honest client is served."""
        self._subject.shared.clear()
        outcome, _ = run_one(self._subject, self._case)
        return "" if outcome.verdict is Verdict.PASS else f"the honest client is served badly: {outcome}"

    def wrong_for_newcomer(self) -> str:
        """Return the faults in how a client is served that comes now."""
        try:
            with closing(Session(self.connect(), timeout_s=PATIENCE_S)) as session:
                name = session.device.name
        except (OSError, HalError, DriverGone) as error:
            return f"a newcomer is not served: {error!r}"
        return "" if name == self._subject.facts.name else f"a newcomer is served by a driver named {name}"

    def left_behind(self) -> str:
        """Return the resources that the service still holds after all clients except the honest one have gone."""
        end = monotonic() + PATIENCE_S
        descriptors, threads = self._before
        while (now := self._open())[0] > descriptors or now[1] > threads + _KEPT_THREADS:
            if monotonic() > end:
                return f"descriptors and threads were {self._before} and are {now}"
            sleep(_LOOK_S)
        return self._first

    def _open(self) -> tuple[int, int]:
        return tuple(len(list(Path(f"/proc/{self.pid}/{kind}").iterdir())) for kind in ("fd", "task"))  # type: ignore[return-value]


Serve = Callable[[Path], AbstractContextManager[tuple[int, Connect]]]


@contextmanager
def _listening(folder: Path) -> Iterator[tuple[int, Connect]]:
    with serving(folder) as (process, connect):
        yield process.pid, connect


@contextmanager
def _inherited(folder: Path) -> Iterator[tuple[int, Connect]]:
    """A service of one connection, whose client has it begin sessions for others."""
    del folder
    with open_driver("reference", timeout_s=PATIENCE_S) as driver:
        assert driver.pid is not None
        yield driver.pid, driver.connection_of_client


SERVICES: Final[dict[str, Serve]] = {"--socket": _listening, "--fd": _inherited}
"""By the option that a service is started with: its process, and how to connect to it."""
