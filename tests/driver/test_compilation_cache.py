"""The bundled driver's compilation cache. Values are those of specs, or computed by hand: 1 + 1 + 1 + 1 = 4."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nnvet.adapters.calls import PreparedModelRecorder
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.kit.judging import precision_rules
from nnvet.conformance.suites.caching.networks import chain
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.generators.specs import SpecCase, find_specs, load_spec
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel, has_zero_sized_output
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import Handle, MappableFile, NumberOfCacheFiles, OperandType, OperationType, PrepareModelConfig
from nnvet.reference_driver import create
from nnvet.reference_driver.caching.content import decode
from nnvet.reference_driver.compiled import CompiledOperation
from nnvet.reference_driver.device import ReferenceDevice
from tests.driver.cache_files import TOKEN, CacheFiles, outputs_of

SUM = chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, 3)
PRODUCT = chain(OperationType.MUL, OperandType.TENSOR_FLOAT32, 3)
FOUR, ONE = [[4.0]], [[1.0]]
STEP = 40
MARKS = ("extension", "if_", "while")

DAMAGED = (ErrorStatus.GENERAL_FAILURE, "cache/tampered_model_cache")
UNKNOWN = (ErrorStatus.GENERAL_FAILURE, "cache/token")


def sampled_specs() -> list[SpecCase]:
    """Specs with extensions and control flow, and one of so many others, each by its first case that has outputs."""
    paths = find_specs(BUNDLED_SPECS)
    chosen = [path for path in paths if path.name.startswith(MARKS)]
    first = [load_spec(path)[0] for path in dict.fromkeys([*chosen, *paths[::STEP]])]
    return [case for case in first if not case.expect_failure and not has_zero_sized_output(case.outline)]


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReferenceDevice:
    """A device that has never cached anything."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return create("")


@pytest.fixture
def cache(tmp_path: Path) -> CacheFiles:
    """Files that do not exist yet."""
    return CacheFiles(tmp_path)


def refusal(device: ReferenceDevice, cache: CacheFiles, token: bytes = TOKEN) -> tuple[ErrorStatus, str]:
    """Status and rule with which a preparation from the files is refused."""
    with pytest.raises(HalError) as refused:
        cache.load(device, token)
    return refused.value.status, refused.value.rule


def computed(prepared: PreparedModel, test: TestModel = SUM) -> list[list[float]]:
    """Outputs as lists."""
    return [array.tolist() for array in outputs_of(prepared, test)]


def open_descriptors() -> int:
    """Descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_files_needed(device: ReferenceDevice) -> None:
    """The driver caches, in one file of each kind."""
    assert device.get_number_of_cache_files_needed() == NumberOfCacheFiles(1, 1)


@pytest.mark.parametrize("spec", sampled_specs(), ids=lambda spec: spec.name)
def test_specs_from_the_cache(spec: SpecCase, device: ReferenceDevice, cache: CacheFiles) -> None:
    """Models from the cache compute what specs expect, whatever executions have added to the data cache.

    Pools are closed by then, and it is another device object that saved the model.
    """
    test = spec.build()
    precision_rules(test, outputs_of(cache.save(create(""), test), test))
    for _ in range(2):
        precision_rules(test, outputs_of(cache.load(device), test))


def test_options_are_kept(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A cached model has the options it was prepared with, which preparing from the cache does not name."""
    with cache.opened() as (model_cache, data_cache):
        config = PrepareModelConfig(
            priority=Priority.HIGH, model_cache=model_cache, data_cache=data_cache, cache_token=TOKEN
        )
        device.compile(build_model(SUM), config)
    assert decode(cache.model.read_bytes()).config == PrepareModelConfig(priority=Priority.HIGH)


def test_deadlines_are_minded(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A preparation from the cache whose deadline has passed is raised and notified as missed."""
    cache.save(device, SUM)
    recorder = PreparedModelRecorder()
    with cache.opened() as (model_cache, data_cache), pytest.raises(HalError) as missed:
        device.prepare_model_from_cache(1, model_cache, data_cache, TOKEN, recorder)
    assert missed.value.status is ErrorStatus.MISSED_DEADLINE_PERSISTENT
    assert recorder.notifications == [(ErrorStatus.MISSED_DEADLINE_PERSISTENT, None)]


def test_failures_are_notified_before_they_are_raised(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A refused preparation from the cache is notified once, with the status that is raised."""
    recorder = PreparedModelRecorder()
    with cache.opened() as (model_cache, _), pytest.raises(HalError):
        device.prepare_model_from_cache(NO_DEADLINE, model_cache, (), TOKEN, recorder)
    assert recorder.notifications == [(ErrorStatus.INVALID_ARGUMENT, None)]


def test_appending_descriptors(device: ReferenceDevice, cache: CacheFiles) -> None:
    """Descriptors that append to files are as good as others, for saving and for updating."""
    cache.model.write_bytes(b"old")
    cache.data.write_bytes(b"old")
    saved = cache.save(device, SUM, flags=os.O_RDWR | os.O_APPEND)
    assert computed(saved) == FOUR
    assert computed(cache.load(device)) == FOUR
    assert compiled_plans(device, cache)


def compiled_plans(device: ReferenceDevice, cache: CacheFiles) -> int:
    """Plans that a model from the cache has before its first execution."""
    with cache.opened() as (model_cache, data_cache):
        prepared = device.compile_from_cache(model_cache, data_cache, TOKEN)
    steps = prepared.compiled.main.operations
    return sum(len(step.plans) for step in steps if isinstance(step, CompiledOperation))


@pytest.mark.parametrize("which", ["model", "data"])
def test_files_that_cannot_be_written(device: ReferenceDevice, cache: CacheFiles, which: str) -> None:
    """A cache file that fails to be written does not fail the preparation; from it nothing is prepared."""
    sealed = os.memfd_create("sealed", os.MFD_ALLOW_SEALING)
    fcntl.fcntl(sealed, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW)
    strange = (MappableFile(Handle(sealed), 0),)
    with cache.opened() as files:
        model_cache, data_cache = (strange, files[1]) if which == "model" else (files[0], strange)
        config = PrepareModelConfig(model_cache=model_cache, data_cache=data_cache, cache_token=TOKEN)
        assert computed(device.compile(build_model(SUM), config)) == FOUR
        with pytest.raises(HalError, match="nothing was saved"):
            device.compile_from_cache(model_cache, data_cache, TOKEN)
    os.close(sealed)


@pytest.mark.parametrize("which", ["model", "data"])
def test_locked_files(device: ReferenceDevice, cache: CacheFiles, which: str) -> None:
    """A file that somebody has locked is not waited for: the model is prepared, but not saved."""
    path = getattr(cache, which)
    with path.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert computed(cache.save(device, SUM)) == FOUR
    assert path.stat().st_size == 0
    assert refusal(device, cache) == UNKNOWN


def test_files_larger_than_memory(device: ReferenceDevice, cache: CacheFiles) -> None:
    """Of files that have grown beyond all measure no more is read than was saved."""
    cache.save(device, SUM)
    model, data = cache.model.stat().st_size, cache.data.stat().st_size
    os.truncate(cache.data, 1 << 42)
    assert computed(cache.load(device)) == FOUR
    os.truncate(cache.model, 1 << 42)
    assert refusal(device, cache) == DAMAGED
    os.truncate(cache.model, model)
    os.truncate(cache.data, data)
    assert computed(cache.load(device)) == FOUR


def test_constants_are_verified(device: ReferenceDevice, cache: CacheFiles) -> None:
    """If a constant has changed in the data cache nothing is prepared; bytes behind the constants do no harm."""
    cache.save(device, SUM)
    good = cache.data.read_bytes()
    # The first constants are the activation and the first 1, four bytes each.
    cache.data.write_bytes(np.array([0], "<i4").tobytes() + np.array([2], "<f4").tobytes() + good[8:])
    assert refusal(device, cache) == (ErrorStatus.GENERAL_FAILURE, "cache/tampered_data_cache")
    cache.data.write_bytes(good + b"more")
    assert computed(cache.load(device)) == FOUR


def _other_version(device: ReferenceDevice) -> None:
    device.version = "0.0"
    device.cache = type(device.cache)(device.name, device.version)


def _no_state(device: ReferenceDevice) -> None:
    (Path(os.environ[STATE_VARIABLE]) / device.name / "tokens").write_bytes(b"not what was there")


@pytest.mark.parametrize("event", [_other_version, _no_state], ids=["driver update", "damaged state"])
def test_events_that_reset_the_cache(
    event: Callable[[ReferenceDevice], None], device: ReferenceDevice, cache: CacheFiles
) -> None:
    """After an update of the driver, or the loss of its state, nothing is prepared until it is saved again."""
    cache.save(device, SUM)
    event(device)
    assert refusal(device, cache) == UNKNOWN
    cache.save(device, PRODUCT)
    assert computed(cache.load(device), PRODUCT) == ONE


def test_a_downgrade_is_an_update(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A model that another version has saved in between makes the first version's cache unknown to it."""
    cache.save(device, SUM)
    other = create("")
    _other_version(other)
    cache.save(other, SUM, bytes(32))
    assert refusal(device, cache) == UNKNOWN


def test_state_that_cannot_be_kept(device: ReferenceDevice, cache: CacheFiles) -> None:
    """Without a place for the driver's state models are prepared, but not found again."""
    Path(os.environ[STATE_VARIABLE]).write_text("a file where a folder has to be")
    assert computed(cache.save(device, SUM)) == FOUR
    assert refusal(device, cache) == UNKNOWN


def test_another_process_finds_it(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A model that one process has saved is prepared by another one, with the additions of its executions."""
    cache.save(device, SUM)
    program = (
        "import sys; from pathlib import Path; from reference_driver import create;"
        "from tests.driver.cache_files import CacheFiles, outputs_of;"
        "from tests.driver.test_compilation_cache import SUM;"
        "print(outputs_of(CacheFiles(Path(sys.argv[1])).load(create('')), SUM))"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", program, str(cache.model.parent)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root).stdout
    assert printed == "[array([4.], dtype=float32)]\n"
    assert compiled_plans(device, cache)


def test_no_descriptors_are_left(device: ReferenceDevice, cache: CacheFiles) -> None:
    """Saving, preparing, refusing and executing leave no descriptor open."""
    computed(cache.save(device, SUM))
    before = open_descriptors()
    for token in (TOKEN, bytes(32)):
        for _ in range(3):
            computed(cache.save(device, SUM))
            cache.model.write_bytes(cache.model.read_bytes() + b"x" * token[1])
            try:
                computed(cache.load(device, token))
            except HalError:
                continue
    assert open_descriptors() == before
