"""Roles of clients by name: the work of their threads. Client processes and the test's own threads share them."""

from __future__ import annotations

import itertools
import mmap
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.config import Executor, TestConfig
from nnvet.conformance.engine.device_memory import allocate, read, write
from nnvet.conformance.engine.executing import execute, run_test
from nnvet.conformance.engine.fenced_runs import small_sum
from nnvet.conformance.engine.handmade import basic_config, check_exactly, prepare_test
from nnvet.conformance.engine.outcome import fail, unsupported
from nnvet.conformance.engine.preparing import built_model, open_request, prepare_valid
from nnvet.conformance.engine.subject import Subject
from nnvet.conformance.stress.loads import (
    StressLoad,
    executors,
    find_supported_loads,
    infer,
    load_of,
    prepare_load,
    steady_test,
)
from nnvet.conformance.stress.threads import Work, WorkTally
from nnvet.conformance.suites.caching.fixtures import Cache
from nnvet.conformance.suites.caching.networks import CachedNetwork
from nnvet.generators.graphs.hal_model import operand_data
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.graphs.small_models import endless_loop
from nnvet.hal.enums import BYTE_SIZE_OF_CACHE_TOKEN, ErrorStatus
from nnvet.hal.memory import Handle, MappableFile, mapped
from nnvet.hal.types import BufferRole, Model

TOKEN: Final = b"nnvet-stress".ljust(BYTE_SIZE_OF_CACHE_TOKEN, b"-")
"""The token under which all clients save."""
MODELS: Final = 4
"""Models that a client has."""
LOOP_NS: Final = 500_000_000
"""Timeout of the loops that run while their client dies; all of them together take less than a call may."""
_ROUNDS: Final = 8


@dataclass(frozen=True)
class LoadClient:
    """A client at work: the driver as this process sees it, the seed that decides on models and order, and the counts.

    ``folder`` is one that all clients of the test share.
    """

    subject: Subject
    seed: str
    threads: int
    tally: WorkTally
    folder: str = ""

    def numbers(self, thread: int) -> random.Random:
        """Random numbers of one thread, the same in every run with the seed."""
        return random.Random(f"{self.seed}/{thread}")  # noqa: S311 - no secret

    def loads(self) -> list[StressLoad]:
        """The models of this client; all clients of one test have the same."""
        return find_supported_loads(self.subject, self.seed.partition("/")[0], MODELS)


Role = Callable[[LoadClient], list[Work]]
"""Prepares what is needed, and gives the work of each thread."""


def inference(client: LoadClient) -> list[Work]:
    """Executes models that are prepared once, by all methods of the HAL in turn."""
    loads = client.loads()
    configs = executors(client.subject)
    prepared = [(load, prepare_load(client.subject, load)) for load in loads]

    def work(numbers: random.Random) -> None:
        load, model = numbers.choice(prepared)
        infer(client.subject, model, load, numbers.choice(configs))

    return [partial(work, client.numbers(thread)) for thread in range(client.threads)]


def loading(client: LoadClient) -> list[Work]:
    """Prepares a model, executes it once and lets it go."""
    loads = client.loads()

    def work(numbers: random.Random) -> None:
        load = numbers.choice(loads)
        infer(client.subject, prepare_load(client.subject, load), load)

    return [partial(work, client.numbers(thread)) for thread in range(client.threads)]


def compilation(client: LoadClient) -> list[Work]:
    """Prepares and lets go, over and over."""
    loads = client.loads()
    return [partial(_prepare_one, client.subject, loads, client.numbers(thread)) for thread in range(client.threads)]


def _prepare_one(subject: Subject, loads: list[StressLoad], numbers: random.Random) -> None:
    prepare_load(subject, numbers.choice(loads))


def bursts(client: LoadClient) -> list[Work]:
    """Opens a burst, executes on it a few times and ends it."""
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
    """Executes loops that end by their timeout alone: the client dies in the middle of them."""
    test = endless_loop()
    config = TestConfig(basic_config(client.subject).executor, loop_timeout_ns=LOOP_NS)
    prepared = prepare_test(client.subject, test, config)

    def work() -> None:
        with open_request(test) as packed:
            (answer,) = execute(prepared, packed.request, config, client.subject.timeout_s)
        if answer.status is ErrorStatus.NONE:
            raise fail("loop/timeout", "a loop without end has ended")
        client.tally.refused(answer.status.name)

    return [work] * client.threads


def buffers(client: LoadClient) -> list[Work]:
    """Holds device memory, which it fills and reads."""
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
    """Prepares a model whose constants are mapped from a file, executes it and lets it go."""
    load = load_of(steady_test(client.subject, is_shared=True))
    places = itertools.cycle((mmap.PAGESIZE, 3 * mmap.PAGESIZE))

    def work() -> None:
        with map_model(load.test, client.subject.feature_level, next(places)) as model:
            prepared = prepare_valid(client.subject, model)
        infer(client.subject, prepared, load)

    return [work] * client.threads


@contextmanager
def map_model(test: TestModel, level: int, offset: int) -> Iterator[Model]:
    """The model of a test with each pool of constants in a file, from ``offset`` on, while the block runs."""
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
    """Saves a model in files of a thread's own or of all, and prepares it from there, always under one token."""
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
            # Somebody may be writing the files, or have written them under the same token since.
            retrieval.refused("cache/retrieval", "files that others write")
            client.tally.refused(retrieval.status.name)
            return
        infer(client.subject, retrieval.prepared, load)

    works: list[Work] = []
    for thread in range(client.threads):
        own = Path(client.folder, f"{client.seed.replace('/', '-')}-{thread}")
        own.mkdir()
        works.append(partial(work, own, client.numbers(thread)))
    return works


def sums(client: LoadClient) -> list[Work]:
    """Executes a small sum, the cheapest work that there is."""
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
