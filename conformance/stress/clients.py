"""Client processes of a stress test, and the roles that say what a client does.

The first half starts a client (:class:`ClientProcess`), gives it a connection to the driver, and may kill it on
purpose; :mod:`nnvet.conformance.stress.client` is the program of the process. A client gets its connection only when
its Python is running, so that the service need not wait for a silent client. The seed decides which clients are killed
early, and when: exactly the requested share of them, each at its own time.
:class:`nnvet.conformance.stress.run.StressRun` does this for tests.

The second half has the roles (:data:`ROLES`). Threads of the test's own process have the same roles. To add a role,
write a function of the type :data:`Role` here.
"""

from __future__ import annotations

import itertools
import mmap
import os
import random
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from msgspec.structs import replace

from nnvet.adapters.driver import Driver
from nnvet.adapters.service.process import ServiceProcess
from nnvet.conformance.engine.driver import connection_to
from nnvet.conformance.kit.device_memory import allocate, read, write
from nnvet.conformance.kit.executing import Executor, TestConfig, basic_config, execute, run_test
from nnvet.conformance.kit.fenced_runs import small_sum
from nnvet.conformance.kit.handmade import check_exactly, prepare_test
from nnvet.conformance.kit.outcome import Outcome, fail, unsupported
from nnvet.conformance.kit.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.kit.subject import Subject
from nnvet.conformance.stress.loads import (
    StressLoad,
    executors,
    find_supported_loads,
    infer,
    load_of,
    prepare_load,
    steady_test,
)
from nnvet.conformance.stress.messages import Awake, Beat, ClientOrder, ClientReport
from nnvet.conformance.stress.threads import Work, WorkTally
from nnvet.conformance.suites.caching.fixtures import Cache
from nnvet.conformance.suites.caching.networks import CachedNetwork
from nnvet.graphs.builder import endless_loop
from nnvet.graphs.hal_model import operand_data
from nnvet.graphs.model import TestModel
from nnvet.hal.memory import mapped
from nnvet.hal.types import BYTE_SIZE_OF_CACHE_TOKEN, BufferRole, ErrorStatus, Handle, MappableFile, Model
from nnvet.reports.events import Verdict
from nnvet.transport.wire.codec import CLIENT_STARTS_S
from nnvet.transport.wire.limits import longest_s

_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.stress.client")
"""Command of a client process, without the number of its socket."""
_MESSAGE_S: Final = 60
"""Most seconds to wait for the rest of a message that has begun."""
_EARLIEST, _LATEST = 0.25, 0.75
"""Shares of the duration between which clients are killed that have to die early (MLTS: a quarter and a half)."""
_STARTING_S: Final = CLIENT_STARTS_S
"""Seconds for a client to start on a busy machine."""
_ENDING_S: Final = 10.0
"""Seconds for a client to exit after its report."""
_LEAVING_S: Final = 120.0
"""Time for a client to exit after its last message. It is long, since the driver has no part in it."""
_TRYING_S: Final = 60.0
"""Seconds for which a client is not killed yet, although it is due, if a busy machine has kept it from any work."""


class ClientProcess:
    """One client process. It is killed after ``dies_at_s`` seconds of work; None means that it ends by itself."""

    def __init__(self, driver: Driver, order: ClientOrder, dies_at_s: float | None = None) -> None:
        """Start the process.

        :raises OSError: it cannot be started.
        """
        self._driver = driver
        self.order = order
        self.dies_at_s = dies_at_s
        self.report: ClientReport | None = None
        self.done = 0
        self.began: float | None = None
        self.was_killed = self.is_silent = False
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _MESSAGE_S, 0))
            command = (*_COMMAND, str(theirs.fileno()))
            self.process = ServiceProcess(command, theirs.fileno(), {}, prints_stacks=True)
            self.control = Connection(ours.detach())

    def receive(self) -> bool:
        """Receive and handle a message; return False if no more will come.

        :raises CaseFailed: UNSUPPORTED, if the driver takes one client only.
        :raises DriverGone: the driver is not there to be connected with.
        """
        self.is_silent = not self._receive()
        return not self.is_silent

    def _receive(self) -> bool:
        """Receive and handle a message; return False if the client has reported, or has closed its end."""
        if self.report is not None:
            return False
        try:
            message = self.control.recv()
        except (EOFError, OSError):
            return False
        if isinstance(message, Awake):
            return self._connect()
        if self.began is None:
            self.began = time.monotonic()
        if isinstance(message, Beat):
            self.done = message.done
            return True
        self.report = message
        self.done = message.done
        return False

    def _connect(self) -> bool:
        """Send the client a connection to the driver and its order; return False if it has died meanwhile."""
        connection = connection_to(self._driver)
        try:
            with connection, socket.socket(fileno=os.dup(self.control.fileno())) as control:
                socket.send_fds(control, [b"\0"], [connection.fileno()])
            self.control.send(self.order)
        except OSError:
            return False
        return True

    def kill_if_due(self) -> None:
        """Kill the client if its time has come, and it has done some work or has tried to for long enough."""
        if self.dies_at_s is None or self.began is None or self.was_killed:
            return
        late_s = time.monotonic() - self.began - self.dies_at_s
        if late_s >= (0 if self.done else _TRYING_S):
            self.was_killed = True
            self.process.kill()

    def outcome(self) -> Outcome | None:
        """Return the fault if the client has ended as it should not; None otherwise."""
        if not self.process.wait(_LEAVING_S if self.is_silent else _ENDING_S):
            stacks = self.process.evidence(dead=False)
            self.process.kill()
            return Outcome(Verdict.HANG, "driver/hang", "a client does not come back", {"client": stacks.as_dict()})
        evidence = self.process.evidence(dead=True)
        if self.was_killed and evidence.exit_code == -signal.SIGKILL:
            return None
        if evidence.exit_code == 0 and self.report is not None:
            return None
        reason = f"a client process {evidence.state}, which nobody had asked for"
        return Outcome(Verdict.CRASH, "", reason, {"crashed": "client", **evidence.as_dict()})


@dataclass(frozen=True)
class ClientEndings:
    """The ends of a test's clients: reports of those that finished, and faults of the others.

    ``done_by_killed`` is the number of units of work that killed clients had reported before.
    """

    reports: Sequence[ClientReport]
    faults: Sequence[Outcome]
    killed: int
    done_by_killed: int


def choose_deaths(count: int, share: float, duration_s: float, numbers: random.Random) -> list[float | None]:
    """Return for each of ``count`` clients the second at which it is killed, or None; exactly ``share`` of them are."""
    dying = set(numbers.sample(range(count), round(share * count)))
    return [duration_s * numbers.uniform(_EARLIEST, _LATEST) if number in dying else None for number in range(count)]


def attend(clients: Sequence[ClientProcess], duration_s: float, timeout_s: float) -> ClientEndings:
    """Serve clients until all have ended, and kill those that are due to be killed.

    A client that takes longer than ``duration_s``, its start and one unanswered call is killed, too.

    :raises CaseFailed, DriverGone: a client cannot be connected with the driver; see :meth:`ClientProcess.receive`.
    """
    latest = time.monotonic() + _STARTING_S + duration_s + 2 * longest_s(timeout_s)
    heard: dict[Any, ClientProcess] = {client.control: client for client in clients}
    while heard and time.monotonic() < latest:
        for control in wait(list(heard), timeout=0.05):
            if not heard[control].receive():
                del heard[control]
        for client in clients:
            client.kill_if_due()
    faults = [outcome for client in clients if (outcome := client.outcome()) is not None]
    for client in clients:
        client.control.close()
    reports = [client.report for client in clients if client.report is not None]
    killed = [client for client in clients if client.was_killed]
    return ClientEndings(reports, faults, len(killed), sum(client.done for client in killed if client.report is None))


def await_work(clients: Sequence[ClientProcess]) -> None:
    """Wait until each client has done something, or can do no more; raises like :func:`attend`."""
    latest = time.monotonic() + _STARTING_S
    busy: dict[Any, ClientProcess] = {client.control: client for client in clients}
    while busy and time.monotonic() < latest:
        for control in wait(list(busy), timeout=0.05):
            if not busy[control].receive() or busy[control].done:
                del busy[control]


def end(clients: Sequence[ClientProcess]) -> None:
    """Kill all clients that still run."""
    for client in clients:
        client.process.kill()
        client.control.close()


TOKEN: Final = b"nnvet-stress".ljust(BYTE_SIZE_OF_CACHE_TOKEN, b"-")
"""The cache token under which all clients save their models."""
MODELS: Final = 4
"""Number of models of a client."""
LOOP_NS: Final = 500_000_000
"""Timeout of loops whose client is killed while they run; all of them take less time together than a call may."""
_ROUNDS: Final = 8
"""Executions on one burst, and buffers held at once."""


@dataclass(frozen=True)
class LoadClient:
    """A working client: its view of the driver, the seed that decides on models and their order, and the counts.

    ``folder`` is shared by all clients of the test.
    """

    subject: Subject
    seed: str
    threads: int
    tally: WorkTally
    folder: str = ""

    def numbers(self, thread: int) -> random.Random:
        """Return the random numbers of one thread, which are the same in every run with this seed."""
        return random.Random(f"{self.seed}/{thread}")  # noqa: S311 - no secret

    def loads(self) -> list[StressLoad]:
        """Return the models of this client; all clients of one test have the same."""
        return find_supported_loads(self.subject, self.seed.partition("/")[0], MODELS)


Role = Callable[[LoadClient], list[Work]]
"""A function that makes the preparations of a role, and returns the work of each thread."""


def inference(client: LoadClient) -> list[Work]:
    """Execute models that are prepared once, by all methods of the HAL in turn."""
    loads = client.loads()
    configs = executors(client.subject)
    prepared = [(load, prepare_load(client.subject, load)) for load in loads]

    def work(numbers: random.Random) -> None:
        load, model = numbers.choice(prepared)
        infer(client.subject, model, load, numbers.choice(configs))

    return [partial(work, client.numbers(thread)) for thread in range(client.threads)]


def loading(client: LoadClient) -> list[Work]:
    """Prepare a model, execute it once and release it."""
    loads = client.loads()

    def work(numbers: random.Random) -> None:
        load = numbers.choice(loads)
        infer(client.subject, prepare_load(client.subject, load), load)

    return [partial(work, client.numbers(thread)) for thread in range(client.threads)]


def compilation(client: LoadClient) -> list[Work]:
    """Prepare models and release them at once."""
    loads = client.loads()
    return [partial(_prepare_one, client.subject, loads, client.numbers(thread)) for thread in range(client.threads)]


def _prepare_one(subject: Subject, loads: list[StressLoad], numbers: random.Random) -> None:
    """Prepare a model, which is released when this function returns."""
    prepare_load(subject, numbers.choice(loads))


def bursts(client: LoadClient) -> list[Work]:
    """Open a burst, execute on it a few times and end it."""
    loads = client.loads()
    config = TestConfig(Executor.BURST)
    prepared = [(load, prepare_load(client.subject, load)) for load in loads]

    def work(numbers: random.Random) -> None:
        load, model = numbers.choice(prepared)
        subject = client.subject
        for answer in run_test(model, load.test, config, subject.device, subject.timeout_s, times=_ROUNDS):
            load.check(answer, config)

    return [partial(work, client.numbers(thread)) for thread in range(client.threads)]


def endless_executions(client: LoadClient) -> list[Work]:
    """Execute loops that end by their timeout alone: the client dies in the middle of them."""
    test = endless_loop()
    config = TestConfig(basic_config(client.subject).executor, loop_timeout_ns=LOOP_NS)
    prepared = prepare_test(client.subject, test, config)

    def work() -> None:
        with open_request(test) as packed:
            (answer,) = execute(prepared, packed.request, config, client.subject.timeout_s)
        if answer.status is ErrorStatus.NONE:
            raise fail("loop/timeout", "a loop without end has ended")
        client.tally.count_refusal(answer.status.name)

    return [work] * client.threads


def buffers(client: LoadClient) -> list[Work]:
    """Allocate, fill and read device memory, and hold some of it."""
    test = steady_test(client.subject)
    prepared = prepare_test(client.subject, test)
    data = operand_data(test.main.inputs[0]).tobytes()

    def work(held: list[object]) -> None:
        memory = allocate(client.subject.device, [prepared], inputs=[BufferRole(0, 0)])
        if memory is None:
            raise unsupported("the driver has no device memory", "allocate/supported")
        write(memory[0], data)
        if read(memory[0], len(data)) != data:
            raise fail("buffer/content", "device memory does not hold what was copied into it")
        held.append(memory)
        if len(held) > _ROUNDS:
            held.clear()

    return [partial(work, []) for _ in range(client.threads)]


def mapped_loading(client: LoadClient) -> list[Work]:
    """Prepare a model whose constants are mapped from a file, execute it and release it."""
    load = load_of(steady_test(client.subject, is_shared=True))
    places = itertools.cycle((mmap.PAGESIZE, 3 * mmap.PAGESIZE))

    def work() -> None:
        with map_model(load.test, client.subject.feature_level, next(places)) as model:
            prepared = prepare_valid(client.subject, model)
        infer(client.subject, prepared, load)

    return [work] * client.threads


@contextmanager
def map_model(test: TestModel, level: int, offset: int) -> Iterator[Model]:
    """Yield the model of a test with each pool of constants in a file, at ``offset``, which exists during the block."""
    with ExitStack() as stack:
        model = stack.enter_context(built_model(test, level))
        pools = []
        for pool in model.pools:
            file = stack.enter_context(TemporaryFile())
            with mapped(pool, writable=False) as view:
                file.write(bytes(offset) + bytes(view))
                size = len(view)
            file.flush()
            pools.append(MappableFile(Handle(file.fileno()), size, mmap.PROT_READ, offset))
        yield replace(model, pools=tuple(pools))


def caches(client: LoadClient) -> list[Work]:
    """Save a model in files of the thread or of all threads, or prepare it from there, always under one token."""
    load = load_of(steady_test(client.subject))
    needed = client.subject.device.get_number_of_cache_files_needed()
    if not (needed.num_model_cache or needed.num_data_cache):
        raise unsupported("the driver does not cache", "cache/unsupported")

    def work(own: Path, numbers: random.Random) -> None:
        folder = numbers.choice((own, Path(client.folder)))
        with built_model(load.test, client.subject.feature_level) as model:
            network = CachedNetwork(load.test, model)
            cache = Cache(client.subject, network, needed, folder, TOKEN)
            if numbers.random() < 1 / 2:
                infer(client.subject, cache.save(), load)
                return
            retrieval = cache.load()
        if retrieval.prepared is None:
            # Another process may be writing the files, or have written them under the same token since.
            retrieval.check_refused("cache/retrieval", "files that others write")
            client.tally.count_refusal(retrieval.status.name)
            return
        infer(client.subject, retrieval.prepared, load)

    works: list[Work] = []
    for thread in range(client.threads):
        own = Path(client.folder, f"{client.seed.replace('/', '-')}-{thread}")
        own.mkdir()
        works.append(partial(work, own, client.numbers(thread)))
    return works


def sums(client: LoadClient) -> list[Work]:
    """Execute a small sum, the cheapest work that there is."""
    test = small_sum()
    config = basic_config(client.subject)
    prepared = prepare_test(client.subject, test, config)

    def work() -> None:
        with open_request(test) as packed:
            for answer in execute(prepared, packed.request, config, client.subject.timeout_s):
                if answer.status is not ErrorStatus.NONE:
                    raise fail("execution/status", f"{answer.status.name} {answer.message}".rstrip())
            check_exactly(packed.output_arrays(test.main.outputs), test)

    return [work] * client.threads


ROLES: Final[dict[str, Role]] = {
    role.__name__: role
    for role in (inference, loading, compilation, bursts, endless_executions, buffers, mapped_loading, caches, sums)
}
"""Roles by name, as orders and tests name them."""
