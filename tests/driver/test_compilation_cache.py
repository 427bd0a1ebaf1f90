"""The bundled driver's compilation cache. Expected values are those of specs, or told by hand: 1 + 1 + 1 + 1 = 4."""

import fcntl
import os
from pathlib import Path

import pytest

from adapters import open_driver
from conformance.collecting import BUNDLED_SPECS
from conformance.harness.checking import check_values
from generators.caching_models import chain
from generators.specs import Case, find_specs, load_spec
from generators.test_model import TestModel, has_zero_sized_output
from hal.enums import ErrorStatus, Priority
from hal.errors import HalError
from hal.memory import Handle, MappableFile
from hal.types import NumberOfCacheFiles, OperandType, OperationType, PrepareModelConfig
from reference_driver import create
from reference_driver.caching import files
from reference_driver.caching.content import decode
from reference_driver.caching.tokens import STATE_VARIABLE
from reference_driver.device import ReferenceDevice
from tests.driver.cache_files import TOKEN, CacheFiles, outputs_of

SUM = chain(OperationType.ADD, OperandType.TENSOR_FLOAT32, 3)
PRODUCT = chain(OperationType.MUL, OperandType.TENSOR_FLOAT32, 3)
FOUR = [4.0]
ONE = [1.0]
STEP = 40


def sampled_specs() -> list[Case]:
    """Spec cases of all kinds, extensions and control flow among them."""
    paths = find_specs(BUNDLED_SPECS)
    chosen = [path for path in paths if "extension" in path.name or "while" in path.name or "if_" in path.name]
    cases = [load_spec(path)[0] for path in [*chosen, *paths[::STEP]]]
    return [case for case in dict.fromkeys(cases) if not case.expect_failure]


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


TAMPERED = (ErrorStatus.GENERAL_FAILURE, "cache/tampered_model_cache")
UNKNOWN = (ErrorStatus.GENERAL_FAILURE, "cache/token")


def test_files_needed(device: ReferenceDevice) -> None:
    """The driver caches, in one file of each kind."""
    assert device.get_number_of_cache_files_needed() == NumberOfCacheFiles(1, 1)


@pytest.mark.parametrize("spec", sampled_specs(), ids=lambda spec: spec.name)
def test_specs_from_the_cache(spec: Case, device: ReferenceDevice, cache: CacheFiles) -> None:
    """Models prepared from the cache compute what specs expect, at the first and at the second execution."""
    test = spec.build()
    if has_zero_sized_output(test):
        pytest.skip("nothing to compare")
    cache.save(device, test)
    for _ in range(2):
        prepared = cache.load(device)
        for _ in range(2):
            check_values(outputs_of(prepared, test), test)


def test_the_model_may_go(device: ReferenceDevice, cache: CacheFiles) -> None:
    """What was saved needs neither the client's pools nor the device object that saved it."""
    spec = next(case for case in sampled_specs() if case.name.startswith("extension"))
    test = spec.build()
    saved = cache.save(device, test)
    check_values(outputs_of(saved, test), test)
    check_values(outputs_of(cache.load(create("")), test), test)


def test_options_are_kept(device: ReferenceDevice, cache: CacheFiles) -> None:
    """A cached model has the options it was prepared with, which preparing from the cache does not name."""
    with cache.opened() as (model_cache, data_cache):
        config = PrepareModelConfig(
            priority=Priority.HIGH, model_cache=model_cache, data_cache=data_cache, cache_token=TOKEN
        )
        device.compile(model_of(SUM), config)
    stored = decode(cache.model.read_bytes()).config
    assert stored == PrepareModelConfig(priority=Priority.HIGH)


def model_of(test: TestModel) -> object:
    """The HAL model of a test without pools."""
    from generators.hal_model import build_model

    return build_model(test)
