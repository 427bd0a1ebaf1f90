"""The persistent cache: limits, eviction, restarts, damage, and two processes at once."""

import multiprocessing
from pathlib import Path

import pytest

from nnvet.driver_kit.blob_cache import BlobCache


def cache(folder: Path, version: str = "1", **limits: int) -> BlobCache:
    """The cache of a folder, as a driver that has just started opens it."""
    return BlobCache(folder / "blobs", version, **limits)


def test_it_survives_a_restart_of_the_same_version(tmp_path: Path) -> None:
    """A new object finds what was set; another version finds nothing, and forgets it when it writes."""
    assert cache(tmp_path).set(b"key", b"value")
    assert cache(tmp_path).get(b"key") == b"value"
    assert cache(tmp_path).get(b"other") is None
    assert cache(tmp_path, "2").get(b"key") is None
    cache(tmp_path, "2").set(b"new", b"value")
    assert cache(tmp_path).get(b"key") is None


@pytest.mark.parametrize(
    ("key", "value"), [(b"", b"v"), (b"k", b""), (b"12345", b"v"), (b"k", bytes(9)), (b"123", bytes(8))]
)
def test_what_is_too_large_or_empty_is_not_kept(tmp_path: Path, key: bytes, value: bytes) -> None:
    """It changes nothing: neither other entries nor what the key had."""
    blobs = cache(tmp_path, max_key=4, max_value=8, max_total=10)
    assert blobs.set(b"k", b"old")
    assert not blobs.set(key, value)
    assert blobs.entries() == {b"k": b"old"}


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    """Keys and values count together; reading makes an entry young, and so does writing it again."""
    blobs = cache(tmp_path, max_total=30)
    for key in (b"a", b"b", b"c"):
        blobs.set(key, bytes(9))
    assert blobs.get(b"a")
    blobs.set(b"d", bytes(9))
    assert list(blobs.entries()) == [b"c", b"a", b"d"]
    blobs.set(b"c", bytes(8))
    blobs.set(b"e", bytes(19))
    assert list(blobs.entries()) == [b"c", b"e"]


def test_a_damaged_file_is_empty_and_can_be_written_again(tmp_path: Path) -> None:
    """Every flipped byte and every cut is noticed."""
    cache(tmp_path).set(b"key", b"value")
    path = tmp_path / "blobs"
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(len(whole))]
    damaged += [whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1 :] for at in range(len(whole))]
    for content in (*damaged, whole + b"\0"):
        path.write_bytes(content)
        assert cache(tmp_path).entries() == {}
    assert cache(tmp_path).set(b"key", b"again")
    assert cache(tmp_path).get(b"key") == b"again"


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    """Both write at the same time, and all of it is there."""
    context = multiprocessing.get_context("forkserver")
    processes = [context.Process(target=_fill, args=(tmp_path, first)) for first in (0, 100)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(cache(tmp_path).entries()) == sorted(
        bytes([number]) for first in (0, 100) for number in range(first, first + 40)
    )


def _fill(folder: Path, first: int) -> None:
    blobs = cache(folder)
    for number in range(first, first + 40):
        assert blobs.set(bytes([number]), b"value")


def test_replacing_needs_the_known_value(tmp_path: Path) -> None:
    """A value that somebody has changed meanwhile stays."""
    blobs = cache(tmp_path)
    blobs.set(b"key", b"first")
    assert not blobs.replace(b"key", b"other", b"second")
    assert blobs.replace(b"key", b"first", b"second")
    assert blobs.get(b"key") == b"second"


def test_limits_above_zero(tmp_path: Path) -> None:
    """A cache that could hold nothing is a mistake."""
    with pytest.raises(ValueError, match="above 0"):
        cache(tmp_path, max_total=0)
