"""The driver's memory of tokens: on disk, bounded, for several threads and processes, forgotten on an update."""

import multiprocessing
import stat
import threading
from pathlib import Path

import pytest

from nnvet.driver_kit.blob_cache import STATE_VARIABLE
from nnvet.reference_driver.caching.tokens import Entry, TokenMap, state_folder

FIRST, SECOND = Entry(b"first", 5), Entry(b"second", 6)
MOST = 1024


def token(number: int) -> bytes:
    """The token of that number."""
    return number.to_bytes(32, "big")


def keep(folder: Path, first: int, count: int) -> None:
    """Remember tokens from ``first`` on."""
    tokens = TokenMap(folder, "1")
    for number in range(first, first + count):
        tokens.put(token(number), Entry(b"", number))


def test_it_outlives_the_object(tmp_path: Path) -> None:
    """Another object of the same version knows what was put; an unknown token is unknown."""
    TokenMap(tmp_path, "1").put(token(0), FIRST)
    assert TokenMap(tmp_path, "1").get(token(0)) == FIRST
    assert TokenMap(tmp_path, "1").get(token(1)) is None


def test_the_last_entry_counts(tmp_path: Path) -> None:
    """A token has one entry, the one that was put last."""
    tokens = TokenMap(tmp_path, "1")
    tokens.put(token(0), FIRST)
    tokens.put(token(0), SECOND)
    assert tokens.entries() == {token(0): SECOND}


def test_amending_needs_the_known_entry(tmp_path: Path) -> None:
    """An entry is amended only if it still is what the caller knows."""
    tokens = TokenMap(tmp_path, "1")
    assert not tokens.amend(token(0), FIRST, SECOND)
    tokens.put(token(0), FIRST)
    assert tokens.amend(token(0), FIRST, SECOND)
    assert not tokens.amend(token(0), FIRST, Entry(b"third", 7))
    assert tokens.get(token(0)) == SECOND


def test_an_update_forgets(tmp_path: Path) -> None:
    """Another version knows nothing, and when it writes the first one's entries are gone for good."""
    TokenMap(tmp_path, "1").put(token(0), FIRST)
    assert TokenMap(tmp_path, "2").get(token(0)) is None
    TokenMap(tmp_path, "2").put(token(1), SECOND)
    assert TokenMap(tmp_path, "1").entries() == {}
    assert TokenMap(tmp_path, "2").entries() == {token(1): SECOND}


def test_the_oldest_are_forgotten(tmp_path: Path) -> None:
    """Beyond the limit the tokens go that were put longest ago; putting one again makes it young."""
    keep(tmp_path, 0, MOST)
    tokens = TokenMap(tmp_path, "1")
    tokens.put(token(0), FIRST)
    tokens.put(token(MOST), SECOND)
    assert len(tokens.entries()) == MOST
    assert tokens.get(token(0)) == FIRST
    assert tokens.get(token(1)) is None
    assert tokens.get(token(2)) == Entry(b"", 2)


@pytest.mark.parametrize("content", [b"", b"\x00", b"no map", b"\x92\xa11\x81\xa1a\xc0", b"\x93\xa11\x80\x00\x00"])
def test_damage_is_emptiness(tmp_path: Path, content: bytes) -> None:
    """A file that is no map, or not all of one, is an empty map that can be written again."""
    tokens = TokenMap(tmp_path, "1")
    (tmp_path / "tokens").write_bytes(content)
    assert tokens.entries() == {}
    tokens.put(token(0), FIRST)
    assert tokens.get(token(0)) == FIRST


def test_threads_and_processes_lose_nothing(tmp_path: Path) -> None:
    """Writers in two processes with two threads each leave all of their tokens."""
    context = multiprocessing.get_context("forkserver")
    processes = [context.Process(target=_two_threads, args=(tmp_path, start)) for start in (0, 40)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(TokenMap(tmp_path, "1").entries()) == [token(number) for number in range(80)]


def _two_threads(folder: Path, first: int) -> None:
    threads = [threading.Thread(target=keep, args=(folder, start, 20)) for start in (first, first + 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_only_the_owner_may_look(tmp_path: Path) -> None:
    """Folder and file are the user's alone, and no file but the map and its lock stays."""
    folder = tmp_path / "deep" / "state"
    TokenMap(folder, "1").put(token(0), FIRST)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "tokens").stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["tokens", "tokens.lock"]


def test_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable names the place; without it, it is in the cache folder of the user."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    assert state_folder("device") == tmp_path / "device"
    monkeypatch.delenv(STATE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert state_folder("device") == tmp_path / "cache" / "nnvet" / "device"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder("device") == tmp_path / ".cache" / "nnvet" / "device"


def test_any_flipped_byte_is_a_damaged_file(tmp_path: Path) -> None:
    """Whatever one byte of the file becomes, what is read is what was written or nothing, and caching goes on."""
    tokens = TokenMap(tmp_path, "stamp")
    tokens.put(token(0), FIRST)
    path = tmp_path / "tokens"
    whole = path.read_bytes()
    for position in range(len(whole)):
        for flipped in (0x00, 0x80, 0xC3, 0xFF):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ flipped]) + whole[position + 1 :])
            assert len(tokens.entries()) <= 1
    path.write_bytes(whole.replace(b"stamp", b"\xc3\x28amp"))
    assert tokens.get(token(0)) is None
    tokens.put(token(1), SECOND)
    assert tokens.get(token(1)) == SECOND
