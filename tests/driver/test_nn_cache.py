"""The blob cache that is kept in a file: when it is saved, in which form, what is loaded (sample driver sheet 7.3)."""

import os
import stat
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from nnvet.reference_driver.blob_cache import BlobCache, Capacity, Policy, Select
from nnvet.reference_driver.nn_cache import NNCache, crc32c, nn_cache, on_a_thread

POLICY = Policy(Select.LRU, Capacity.FIT)


class Later:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        """Nothing is due."""
        self.due: list[tuple[float, Callable[[], None]]] = []

    def __call__(self, delay_s: float, function: Callable[[], None]) -> None:
        """Keep a function."""
        self.due.append((delay_s, function))

    def pass_time(self) -> list[float]:
        """Run what was kept; returns the delays."""
        due, self.due = self.due, []
        for _, function in due:
            function()
        return [delay_s for delay_s, _ in due]


@pytest.fixture
def later() -> Later:
    """Time for the caches of a test."""
    return Later()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that does not exist yet."""
    return tmp_path / "blobs"


def opened(path: Path | None, later: Later, limit: int = 1000) -> NNCache:
    """A cache that is kept in a file."""
    cache = NNCache(later)
    cache.initialize(100, 100, limit, POLICY)
    cache.set_cache_filename(path)
    return cache


def bitwise_crc(data: bytes, start: int) -> int:
    """Reflected CRC-32C bit by bit, without inversions."""
    remainder = start
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder


def test_the_checksum() -> None:
    """The polynomial is that of CRC-32C, whose check value is published; start and end are not inverted here."""
    published = 0xE3069283
    assert bitwise_crc(b"123456789", 0xFFFFFFFF) ^ 0xFFFFFFFF == published
    for data in (b"", b"a", b"123456789", bytes(range(256))):
        assert crc32c(data) == bitwise_crc(data, 0)


def test_nothing_is_kept_before_initialisation() -> None:
    """Before initialize and after terminate blobs are ignored and none is found."""
    cache = NNCache()
    cache.set_blob(b"k", b"v")
    assert cache.get_blob(b"k", bytearray(9)) == 0
    cache.initialize(10, 10, 100)
    cache.set_blob(b"k", b"v")
    cache.terminate()
    assert cache.get_blob_bytes(b"k") is None
    cache.initialize(10, 10, 100)
    assert cache.get_blob_bytes(b"k") is None


def test_three_ways_to_get(later: Later) -> None:
    """Into a buffer, into allocated memory, as bytes."""
    cache, buffer, allocated = opened(None, later), bytearray(5), bytearray(5)
    cache.set_blob(b"k", b"value")
    assert (cache.get_blob(b"k", buffer), buffer) == (5, bytearray(b"value"))
    assert (cache.get_blob_allocated(b"k", lambda _: allocated), allocated) == (5, bytearray(b"value"))
    assert cache.get_blob_bytes(b"k") == b"value"
    assert cache.get_blob_bytes(b"other") is None


def test_limits_reach_the_blobs(later: Later) -> None:
    """What initialize says of limits and policy holds."""
    cache = NNCache(later)
    cache.initialize(3, 4, 10, POLICY)
    for key, value in ((b"long", b"v"), (b"k", b"12345"), (b"a", b"1234"), (b"b", b"1234"), (b"c", b"1")):
        cache.set_blob(key, value)
    found = [cache.get_blob_bytes(key) for key in (b"long", b"k", b"a", b"b", b"c")]
    assert found == [None, None, None, b"1234", b"1"]


def test_saved_four_seconds_after_the_first_change(path: Path, later: Later) -> None:
    """The first change since the last save sets the time; later ones are saved with it."""
    cache = opened(path, later)
    cache.set_blob(b"a", b"1")
    cache.set_blob(b"b", b"2")
    assert not path.exists()
    assert later.pass_time() == [4.0]
    first = path.read_bytes()
    assert later.due == []
    cache.set_blob(b"c", b"3")
    assert path.read_bytes() == first
    assert later.pass_time() == [4.0]
    again = opened(path, later)
    assert [again.get_blob_bytes(key) for key in (b"a", b"b", b"c")] == [b"1", b"2", b"3"]


def test_terminate_saves(path: Path, later: Later) -> None:
    """What has not been saved yet is saved at the end, and a save that was due then does nothing."""
    cache = opened(path, later)
    cache.set_blob(b"k", b"v")
    cache.terminate()
    assert path.exists()
    path.unlink()
    later.pass_time()
    assert not path.exists()


def test_without_a_file_nothing_is_saved(tmp_path: Path, later: Later) -> None:
    """No name, no file."""
    cache = opened(None, later)
    cache.set_blob(b"k", b"v")
    later.pass_time()
    cache.terminate()
    assert list(tmp_path.iterdir()) == []


def test_the_file(path: Path, later: Later) -> None:
    """Magic, checksum, flattened blobs; readable for the owner alone, and replaced by the next save."""
    cache = opened(path, later)
    cache.set_blob(b"k", b"v")
    later.pass_time()
    blobs = BlobCache(100, 100, 1000)
    blobs.set(b"k", b"v")
    payload = blobs.flatten()
    assert path.read_bytes() == b"nn$$" + struct.pack("=I", bitwise_crc(payload, 0)) + payload
    assert stat.S_IMODE(path.stat().st_mode) == 0o400
    cache.set_blob(b"k", b"w")
    later.pass_time()
    assert opened(path, later).get_blob_bytes(b"k") == b"w"


def write(path: Path, change: Callable[[bytes], bytes], later: Later) -> None:
    """A saved file with k -> v, changed."""
    cache = opened(path, later)
    cache.set_blob(b"k", b"v")
    cache.terminate()
    good = path.read_bytes()
    path.unlink()
    path.write_bytes(change(good))


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"",
        lambda good: good[:7],
        lambda good: good[:8],
        lambda good: b"xx" + good[2:],
        lambda good: good[:4] + bytes([good[4] ^ 1]) + good[5:],
        lambda good: good[:-1] + bytes([good[-1] ^ 1]),
        lambda good: good[:-1],
    ],
    ids=["empty", "shorter than the header", "header only", "magic", "checksum", "payload", "cut off"],
)
def test_damaged_files_are_empty(path: Path, later: Later, change: Callable[[bytes], bytes]) -> None:
    """Whatever is wrong with the file, the cache begins empty and works."""
    write(path, change, later)
    cache = opened(path, later)
    assert cache.get_blob_bytes(b"k") is None
    cache.set_blob(b"k", b"new")
    later.pass_time()
    assert opened(path, later).get_blob_bytes(b"k") == b"new"


def test_large_files_are_not_read(path: Path, later: Later) -> None:
    """A file of more than twice the limit is not loaded; one of just twice is."""
    write(path, lambda good: good, later)
    size = path.stat().st_size
    assert opened(path, later, limit=(size + 1) // 2).get_blob_bytes(b"k") == b"v"
    assert opened(path, later, limit=(size - 1) // 2).get_blob_bytes(b"k") is None


def test_places_that_cannot_be_written(tmp_path: Path, later: Later) -> None:
    """Where no file can be made the cache works, and leaves nothing behind."""
    cache = opened(tmp_path / "missing" / "blobs", later)
    cache.set_blob(b"k", b"v")
    later.pass_time()
    assert cache.get_blob_bytes(b"k") == b"v"
    assert list(tmp_path.iterdir()) == []


def test_half_a_file_is_removed(path: Path, later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that is cut short leaves no file."""
    cache = opened(path, later)
    cache.set_blob(b"k", b"v")
    monkeypatch.setattr(os, "write", lambda _, data: len(data) - 1)
    later.pass_time()
    assert not path.exists()


def test_the_one_of_the_process() -> None:
    """There is one cache for everybody."""
    assert nn_cache() is nn_cache()


def test_the_thread() -> None:
    """Without a clock of the test's a thread does the work, and the process need not wait for it."""
    done = threading.Event()
    on_a_thread(0.0, done.set)
    assert done.wait(30)
    on_a_thread(3600.0, done.clear)
    assert all(thread.daemon for thread in threading.enumerate() if isinstance(thread, threading.Timer))
