"""Objects that remain after runs of an input: unlimited growth is a leak, a limited cache is none."""

import logging
import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path

import pytest

from nnvet.conformance.engine.target import Target
from nnvet.fuzz.corpus_files import REGRESSIONS
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import HARNESSES
from nnvet.fuzz.leaks import RULE, LeakCheck
from nnvet.fuzz.model.form import FuzzedModel, encode_model
from nnvet.hal.types import Operand, Operation, OperationType, Subgraph

SECONDS = 60.0
KEEPING = """
import os
from nnvet.reference_driver import create

KEPT = []

def make():
    device = create()
    plain = device.get_supported_operations
    def keeping(model):
        KEPT.append((os.dup(0), bytearray(b'x' * 16384)))
        return plain(model)
    device.get_supported_operations = keeping
    return device
"""
"""A driver that keeps something of each question."""
KEPT: list[object] = []
INVALID = encode_model(
    FuzzedModel(Subgraph((Operand(type=77),), (Operation(OperationType.ELU, (0,), (0,)),), (0,), (0,)))
)
"""A model with an operand of no type."""
CACHE: OrderedDict[int, bytes] = OrderedDict()
NUMBERS = count()
HISTORY: deque[object] = deque(maxlen=300)
GONE = threading.Event()


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    KEPT.clear()


def keep_memory(data: bytes) -> None:
    """An object for each run."""
    KEPT.append(bytearray(data))


def keep_much(data: bytes) -> None:
    """One object that grows: malloc knows, the interpreter does not."""
    if not KEPT:
        KEPT.append(bytearray())
    (grown,) = KEPT
    assert isinstance(grown, bytearray)
    grown.extend(data * 100)


def keep_descriptor(_: bytes) -> None:
    """A descriptor for each run."""
    KEPT.append(os.dup(0))


def keep_thread(_: bytes) -> None:
    """A thread for each run."""
    threading.Thread(target=GONE.wait, daemon=True).start()


def keep_now_and_then(data: bytes) -> None:
    """Two objects, an array and its content, for eight runs: less than half of one for each."""
    if next(NUMBERS) % 8 == 0:
        KEPT.append(bytearray(data))


def fill_cache(data: bytes) -> None:
    """A cache whose keys are never the same, of 500 entries."""
    CACHE[next(NUMBERS)] = data * 100
    if len(CACHE) > 500:
        CACHE.popitem(last=False)


def remember(data: bytes) -> None:
    """A history with an end."""
    HISTORY.append([data * 10])


def make_garbage(data: bytes) -> None:
    """Objects that refer to themselves go when garbage is looked for."""
    circle: list[object] = [data]
    circle.append(circle)


@pytest.mark.parametrize(
    ("leak", "what"),
    [(keep_memory, "objects"), (keep_much, "bytes"), (keep_descriptor, "descriptors"), (keep_thread, "threads")],
)
def test_what_grows_with_each_run_is_a_leak(leak: Callable[[bytes], None], what: str) -> None:
    """Whatever is kept of each run."""
    GONE.clear()
    try:
        with pytest.raises(FuzzFinding) as caught:
            LeakCheck(leak, SECONDS, every=1)(b"0123456789")
    finally:
        GONE.set()
        for descriptor in KEPT if what == "descriptors" else ():
            os.close(int(str(descriptor)))
        KEPT.clear()
    assert (caught.value.kind, caught.value.rule, caught.value.place) == (FindingKind.LEAK, RULE, what)
    if what == "objects":
        assert Path(__file__).name in caught.value.evidence["kept"]


@pytest.mark.parametrize("honest", [fill_cache, remember, make_garbage, keep_now_and_then])
def test_what_has_an_end_is_none(honest: Callable[[bytes], None]) -> None:
    """Caches, histories, garbage, and what one run in eight leaves behind."""
    LeakCheck(honest, SECONDS, every=1)(b"0123456789")


def test_one_input_of_many_is_looked_at() -> None:
    """The others are run once."""
    runs = [0]

    def run(_: bytes) -> None:
        runs[0] += 1

    check = LeakCheck(run, SECONDS, every=10)
    for _ in range(9):
        check(b"")
    assert runs == [9]
    check(b"")
    assert runs[0] > 10
    runs[0] = 0

    def run_slowly(data: bytes) -> None:
        time.sleep(0.02)
        run(data)

    LeakCheck(run_slowly, 0.5, every=1)(b"")
    assert runs == [1], "what is slow is not run so often"


def test_a_driver_that_keeps_what_it_refuses_is_found() -> None:
    """A bug of the zoo that only many refusals show; the bundled driver keeps nothing of them.

    What the process frees meanwhile can hide a leak in the first 64 runs, as in fuzzing: the next look finds it.
    """
    for selector, kinds in (("reference", set()), ("zoo:fuzz-kept-refusals", {FindingKind.LEAK})):
        found = set()
        with HARNESSES["model"].opens(Target(selector, in_process=True)) as one_input:
            for _ in range(3):
                try:
                    LeakCheck(one_input, SECONDS, every=1)(INVALID)
                except FuzzFinding as finding:
                    found.add(finding.kind)
        assert found == kinds, selector


def test_a_service_that_keeps_something_is_found(tmp_path: Path) -> None:
    """Descriptors and memory of the driver's process count, too."""
    file = tmp_path / "keeping.py"
    file.write_text(KEEPING)
    choice = Target(f"python:{file}:make")
    with HARNESSES["model"].opens(choice) as one_input, pytest.raises(FuzzFinding) as caught:
        LeakCheck(one_input, SECONDS, every=1)(INVALID)
    assert (caught.value.kind, caught.value.place) == (FindingKind.LEAK, "descriptors")
    assert "memory of the service" in caught.value.message


OF_DRIVERS = [name for name in HARNESSES if name != "library"]
"""Harnesses of any driver."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name == "burst" else ()) for name in OF_DRIVERS]
)
def test_nothing_grows_by_the_seeds_of_harnesses(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the bundled driver nor the harnesses keep anything; what once showed a leak, and two seeds of each."""
    harness = HARNESSES[name]
    # pytest keeps log records until the test is over.
    caplog.set_level(logging.CRITICAL + 1)
    with harness.opens(Target("reference", in_process=True)) as one_input:
        found = [file.read_bytes() for file in sorted((REGRESSIONS / name).glob("kept_*"))]
        for data in (*found, *(seed.data for seed in islice(harness.seeds(), 2))):
            LeakCheck(one_input, SECONDS, every=1)(data)
