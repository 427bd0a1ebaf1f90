"""Host of a fuzzing job on each worker of the cluster: it keeps processes and inputs between slices of time.

The scheduler gives :class:`FuzzHost` to every worker, also to one that joins later.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from distributed import Worker, WorkerPlugin, get_worker
from msgspec.structs import replace

from nnvet.adapters.selector import SelectorError
from nnvet.conformance.cluster.chunk import Fate, SuiteIdentity
from nnvet.conformance.cluster.host import IS_OVER, ResourcePool, UnfitError, check_same, host_of
from nnvet.conformance.cluster.machine import NotWantedError, machine_shared, own_identity
from nnvet.conformance.engine.driver import DriverLostError, open_subject
from nnvet.fuzz.cluster.place import Found, FuzzingPlace, SliceResult, SliceTask, SmallFinding, name_of
from nnvet.fuzz.findings import INPUT, ChildConfig, save
from nnvet.fuzz.finishing import finish
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.target import service_of
from nnvet.reports.events import DriverFacts

_Answer = TypeVar("_Answer")


class FuzzHost(WorkerPlugin):
    """A worker's part in a job: a :class:`FuzzingPlace` for each slice that runs at a time, and a cache of inputs."""

    def __init__(self, name: str, config: ChildConfig) -> None:
        """Prepare for one job; the worker finds the host by its ``name``."""
        self.name = name
        self.config = config

    def setup(self, worker: Worker) -> None:
        """Remember the worker, which calls this; no process is started yet."""
        # dask removes the worker's own folder with all its content, even if the worker is killed.
        self._root = Path(tempfile.mkdtemp(prefix="nnvet-fuzz-", dir=worker.local_directory))
        self._inputs = self._root / "inputs"
        self._inputs.mkdir()
        self._places = ResourcePool(lambda stack: FuzzingPlace.opened(self._root, self.config, stack))
        self._running: set[FuzzingPlace] = set()
        self._lock = threading.Lock()
        self._is_open = True
        self._facts: DriverFacts | None = None

    async def teardown(self, worker: Worker) -> None:
        """End the slices, which then return what they have found, and close everything; the worker calls this."""
        await worker.loop.run_in_executor(None, self._close)

    def describe(self, identity: SuiteIdentity) -> DriverFacts:
        """Return the driver's description of itself.

        :raises UnfitError: the driver does not exist, does not start, or is not the one of the job.
        """
        own = own_identity()
        check_same(identity, own)
        if find_spec("atheris") is None:
            raise UnfitError(Fate.UNFIT, "fuzzing needs atheris; install it there with: pip install 'nnvet[fuzz]'")
        if self._facts is None:
            try:
                with open_subject(service_of(self.config)) as subject:
                    self._facts = subject.facts
            except (SelectorError, DriverLostError) as error:
                raise UnfitError(Fate.UNFIT, str(error)) from error
        check_same(identity, SuiteIdentity(own.suite, own.corpus, self._facts))
        return self._facts

    def run(self, identity: SuiteIdentity, task: SliceTask, worker: str) -> SliceResult:
        """Do a task.

        :raises UnfitError: as :meth:`describe`, or the disk is full.
        """
        self.describe(identity)
        try:
            if not self._received(task):
                return SliceResult(Fate.LACKS, worker, "its inputs are gone")
            place = self._places.take()
        except OSError as error:
            raise UnfitError(Fate.UNFIT, f"its folder cannot be used: {error}") from error
        try:
            with self._lock:
                self._running.add(place.resource)
                if not self._is_open:
                    place.resource.stop()
            result = place.resource.run(task, self._inputs, worker)
            # The job merges these inputs before it gives out the next slice.
            self._keep({name_of(data): data for data in result.inputs})
        except BaseException as error:
            place.stack.close()
            if isinstance(error, OSError):
                raise UnfitError(Fate.UNFIT, f"its folder cannot be used: {error}") from error
            raise
        finally:
            with self._lock:
                self._running.discard(place.resource)
        self._places.give_back(place)
        return result

    def finished(self, found: Found) -> SmallFinding:
        """Return a finding that has been made small.

        :raises OSError: its files cannot be written.
        """
        known, data = found
        with tempfile.TemporaryDirectory(dir=self._root) as name:
            findings, out = Path(name, "findings"), Path(name, "out")
            save(findings, known.harness, known.driver, known.finding, data)
            specs = finish(replace(self.config, findings=str(findings)), HARNESSES, out)
            files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
            spec = specs.get(known.key)
            least = (findings / known.harness / known.key / INPUT).read_bytes()
            return SmallFinding(least, files, None if spec is None else str(spec.relative_to(out)))

    def _received(self, task: SliceTask) -> bool:
        """Keep the inputs that were sent, and return True if all inputs of the task are here."""
        self._keep(task.inputs)
        return all((self._inputs / name).exists() for name in (*task.known, *task.kept))

    def _keep(self, inputs: Mapping[str, bytes]) -> None:
        for name, data in inputs.items():
            # Another slice may read the file while it is written.
            unfinished = self._inputs / f"{name}.{uuid4().hex}"
            unfinished.write_bytes(data)
            unfinished.replace(self._inputs / name)

    def _close(self) -> None:
        with self._lock:
            self._is_open = False
            running = list(self._running)
        for place in running:
            place.stop()
        self._places.close()
        if not running:
            shutil.rmtree(self._root, ignore_errors=True)


def describe(name: str, identity: SuiteIdentity) -> DriverFacts | SliceResult:
    """Return a task: return the driver's description on this worker; without a driver the result gives the reason."""
    return _run_task(name, lambda host, _: host.describe(identity))


def run_slice(name: str, identity: SuiteIdentity, task: SliceTask) -> SliceResult:
    """Return a task: fuzz a harness."""
    return _run_task(name, lambda host, address: host.run(identity, task, address))


def finish_finding(name: str, found: Found) -> SmallFinding:
    """Return a task: make a finding small."""
    host = host_of(get_worker(), name, FuzzHost)
    with machine_shared():
        return host.finished(found)


def _run_task(name: str, work: Callable[[FuzzHost, str], _Answer]) -> _Answer | SliceResult:
    """Return the result of a task of job ``name``, or the reason for having none, after measurements have ended."""
    worker = get_worker()
    try:
        host = host_of(worker, name, FuzzHost)
        with machine_shared(lambda: name in worker.plugins):
            return work(host, worker.address)
    except NotWantedError:
        return SliceResult(Fate.UNFIT, worker.address, IS_OVER)
    except UnfitError as error:
        return SliceResult(error.fate, worker.address, str(error))
