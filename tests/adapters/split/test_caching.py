"""Caching of a device over devices: saved steps compute the same, and tokens differ if anything relevant does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nnvet.adapters.calls import prepare, prepare_from_cache
from nnvet.adapters.split.assignment import GivenDevices
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.faults import FAULTS, RIGHT
from nnvet.adapters.split.plan import SplitOptions
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.graphs.hal_model import build_model
from nnvet.hal.enums import ErrorStatus, ExecutionPreference, Priority
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import MappableFile, Model, NumberOfCacheFiles, OwnedHandle, PrepareModelConfig
from nnvet.reference_driver import create
from tests.adapters.split.networks import network
from tests.adapters.split.test_laws import assert_same_results

TOKEN = bytes(range(32))
SEEDS = range(12)


class SavingDevice(BaseDevice):
    """The bundled driver with its calls recorded: tokens of preparations, and of those from a cache."""

    def __init__(self, name: str = "saving", version: str = "1", *, forgets: bool = False, caches: bool = True) -> None:
        """Stand for it; if it ``forgets``, nothing can be prepared from what it has saved."""
        self._inner = create("")
        self._forgets = forgets
        self._caches = caches
        self.name = name
        self.version = version
        self.capabilities = self._inner.get_capabilities()
        self.saved: list[bytes] = []
        self.found: list[bytes] = []

    def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
        """As the bundled driver, or none."""
        return self._inner.get_number_of_cache_files_needed() if self._caches else NumberOfCacheFiles()

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """The bundled driver's answer."""
        return self._inner.get_supported_operations(model)

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: object) -> None:
        """Have it prepare the model."""
        self.saved.append(config.cache_token)
        callback.notify(ErrorStatus.NONE, prepare(self._inner, model, config))  # type: ignore[attr-defined]

    def compile_from_cache(self, model_cache: object, data_cache: object, token: bytes) -> PreparedModel:
        """Have it prepare what it has saved.

        :raises HalError: it forgets, or fails.
        """
        if self._forgets:
            raise HalError(ErrorStatus.GENERAL_FAILURE, "forgotten for a test")
        prepared = prepare_from_cache(self._inner, model_cache, data_cache, token)  # type: ignore[arg-type]
        self.found.append(token)
        return prepared


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))


@contextmanager
def cache_file(path: Path) -> Iterator[tuple[MappableFile, ...]]:
    """The client's file, open as long as the block runs."""
    handle = OwnedHandle(os.open(path, os.O_RDWR | os.O_CREAT))
    try:
        yield (MappableFile(handle, os.fstat(handle.fd).st_size),)
    finally:
        handle.close()


def options(fault: str = "none") -> SplitOptions:
    """Every other operation is the second device's."""
    return SplitOptions(GivenDevices((0, 1)), fault=FAULTS[fault])


def save(device: Device, model: Model, path: Path, **given: object) -> PreparedModel:
    """Prepare a model and have it saved."""
    with cache_file(path) as files:
        config = PrepareModelConfig(model_cache=files, **{"cache_token": TOKEN, **given})  # type: ignore[arg-type]
        return prepare(device, model, config)


def load(device: Device, path: Path, token: bytes = TOKEN) -> PreparedModel:
    """Prepare what was saved."""
    with cache_file(path) as files:
        return prepare_from_cache(device, files, (), token)


def test_saved_steps_compute_the_same(tmp_path: Path) -> None:
    """Each device prepares its steps from what it has saved, and from nothing else; in a new device, too."""
    for seed in SEEDS:
        tested = network(seed)
        devices = [SavingDevice(), SavingDevice()]
        save(SplitDevice(devices, options()), build_model(tested.given), tmp_path / str(seed))
        again = [SavingDevice(), SavingDevice()]
        restored = load(SplitDevice(again, options()), tmp_path / str(seed))
        assert [device.saved for device in again] == [[], []]
        assert [sorted(device.found) for device in again] == [sorted(device.saved) for device in devices]
        assert all(device.found for device in again)
        assert_same_results(restored, tested)


def test_what_a_device_does_not_find_is_prepared_anew(tmp_path: Path) -> None:
    """One device has forgotten everything, another one has never saved anything."""
    tested = network(3)
    save(
        SplitDevice([SavingDevice(), SavingDevice(caches=False)], options()), build_model(tested.given), tmp_path / "a"
    )
    again = [SavingDevice(forgets=True), SavingDevice(caches=False)]
    restored = load(SplitDevice(again, options()), tmp_path / "a")
    assert all(device.saved and not device.found for device in again)
    assert_same_results(restored, tested)


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    """One bit, a byte more, another token, another version of a part, the file of another token."""
    device, path = SplitDevice([SavingDevice(), SavingDevice()], options()), tmp_path / "cache"
    model = build_model(network(3).given)
    save(device, model, path)
    content = path.read_bytes()
    for wrong in (content[:-1] + bytes([content[-1] ^ 1]), content + b"\0", b""):
        path.write_bytes(wrong)
        with pytest.raises(HalError, match="not what was saved"):
            load(device, path)
    path.write_bytes(content)
    with pytest.raises(HalError, match="nothing was saved"):
        load(device, path, TOKEN[::-1])
    with pytest.raises(HalError, match="nothing was saved"):
        load(SplitDevice([SavingDevice(), SavingDevice(version="2")], options()), path)
    save(device, model, tmp_path / "other", cache_token=TOKEN[::-1], preference=ExecutionPreference.LOW_POWER)
    path.write_bytes((tmp_path / "other").read_bytes())
    with pytest.raises(HalError, match="not what was saved"):
        load(device, path)


def test_nothing_is_saved_where_no_device_saves() -> None:
    """No file is asked for then."""
    plain = SplitDevice([SavingDevice(caches=False)] * 2)
    assert plain.get_number_of_cache_files_needed() == NumberOfCacheFiles()
    assert SplitDevice([SavingDevice(caches=False), SavingDevice()]).get_number_of_cache_files_needed() == (
        NumberOfCacheFiles(num_model_cache=1)
    )
    with pytest.raises(HalError, match="GENERAL_FAILURE"):
        prepare_from_cache(plain, (), (), TOKEN)


def tokens(
    path: Path, names: tuple[str, str] = ("a", "b"), version: str = "1", fault: str = "none", **given: object
) -> list[bytes]:
    """The tokens of all steps of one model."""
    devices = [SavingDevice(names[0], version), SavingDevice(names[1], version)]
    save(SplitDevice(devices, options(fault)), build_model(network(3).given), path, **given)
    return [token for device in devices for token in device.saved]


def test_tokens_of_steps(tmp_path: Path) -> None:
    """The same ones for the same model; others for another step, device, version, preference, priority or token."""
    path = tmp_path / "cache"
    first = tokens(path)
    assert len(first) >= 3
    assert len(set(first)) == len(first)
    assert tokens(path) == first
    others = [
        tokens(path, ("a", "a"))[-1:],
        tokens(path, version="2"),
        tokens(path, cache_token=TOKEN[::-1]),
        tokens(path, preference=ExecutionPreference.LOW_POWER),
        tokens(path, preference=ExecutionPreference.SUSTAINED_SPEED),
        tokens(path, priority=Priority.HIGH),
    ]
    assert not set(first) & {token for tokens in others for token in tokens}


def test_a_whole_model_has_another_token_than_a_step(tmp_path: Path) -> None:
    """Although the step has all operations but one."""
    model, device = build_model(network(3).given), SavingDevice("a")
    save(SplitDevice([device, SavingDevice("b")], SplitOptions(GivenDevices((0,)), fault=RIGHT)), model, tmp_path / "a")
    assert len(device.saved) == 1
    assert device.saved[0] not in tokens(tmp_path / "b")


def test_a_token_without_the_step_is_found(tmp_path: Path) -> None:
    """The planted fault gives all steps of a device the same token."""
    wrong = tokens(tmp_path / "cache", fault="token")
    assert len(set(wrong)) < len(wrong)
