"""Harnesses around models: they find nothing in the bundled driver, and find the bugs planted for them."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import settings

from nnvet.conformance.engine.target import Target
from nnvet.formats.tflite.importer import import_model
from nnvet.fuzz.calls.machine import api_machine
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import HARNESSES, NothingToFuzzError
from nnvet.fuzz.readers.specs import spec_of
from nnvet.fuzz.readers.tables import TFLITE
from nnvet.fuzz.target import FuzzedDriver
from nnvet.reference_driver import create

AROUND = ("burst", "cache", "frames", "tflite", "specs", "calls")
SEEDS = 8
MOST_INPUTS = 4000
BUGS = {
    "fuzz-stale-slot": ("burst", FindingKind.WRONG, "burst/freed"),
    "fuzz-use-after-close": ("calls", FindingKind.EXCEPTION, "driver/exception"),
    "fuzz-cache-token": ("cache", FindingKind.ACCEPTED, "cache/token"),
}


def changed_seeds(name: str) -> Iterator[bytes]:
    """The seeds of a harness, then seeds with a few other bytes, equal in every run."""
    seeds = [seed.data for seed in HARNESSES[name].seeds()]
    yield from seeds
    source = random.Random(name)
    while True:
        data = bytearray(source.choice(seeds))
        for _ in range(source.randint(1, 8)):
            data[source.randrange(len(data))] = source.randrange(256)
        yield bytes(data)


@pytest.mark.parametrize("name", AROUND)
def test_the_bundled_driver_has_nothing_to_find(name: str) -> None:
    """Inputs that are nothing, short, and seeds."""
    with HARNESSES[name].opens(Target("reference", in_process=True)) as one_input:
        for data in (b"", b"\0", b"\xff" * 64, *islice(changed_seeds(name), SEEDS)):
            one_input(data)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_are_found(bug: str) -> None:
    """Changed seeds find them without any guide."""
    name, kind, rule = BUGS[bug]
    with (
        HARNESSES[name].opens(Target(f"zoo:{bug}", in_process=True)) as one_input,
        pytest.raises(FuzzFinding) as caught,
    ):
        for data in islice(changed_seeds(name), MOST_INPUTS):
            one_input(data)
    assert (caught.value.kind, caught.value.rule) == (kind, rule)


def test_bursts_need_a_driver_that_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that does not support the model of all inputs gives this harness nothing to fuzz, and no finding."""
    monkeypatch.setattr(type(create("")), "get_supported_operations", lambda *_: (False,))
    with (
        pytest.raises(NothingToFuzzError, match="does not support a sum"),
        HARNESSES["burst"].opens(Target("reference", in_process=True)),
    ):
        pass


def test_a_service_is_fuzzed_like_a_driver_of_this_process() -> None:
    """Bursts and frames reach a driver in a process of its own."""
    for name in ("burst", "frames"):
        with HARNESSES[name].opens(Target("reference")) as one_input:
            for data in islice(changed_seeds(name), 2):
                one_input(data)


def test_seeds_of_model_files_are_models() -> None:
    """Every seed is imported, so that changes of it get far."""
    for seed in TFLITE.seeds():
        with import_model(seed.data) as imported:
            assert imported.model.main.operations


def test_bytes_choose_specs() -> None:
    """Equal bytes give equal texts; others give others."""
    first, second = (spec_of(data) for data in (bytes(40), bytes(range(40))))
    assert first == spec_of(bytes(40)) != second
    assert "Model()" in first


TestApi = api_machine(lambda: FuzzedDriver(create(), Target("reference", in_process=True))).TestCase
TestApi.settings = settings(max_examples=8, stateful_step_count=15, deadline=None, derandomize=True)
