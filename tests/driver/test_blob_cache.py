"""The blob cache: limits, eviction and its form on disk, by hand from sample driver sheet 7.2."""

import random
import struct
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnvet.reference_driver.blob_cache import BlobCache, Capacity, Policy, Select

MAGIC = (ord("_") << 24) | (ord("B") << 16) | (ord("b") << 8) | ord("$")
LRU = {capacity: Policy(Select.LRU, capacity) for capacity in Capacity}


def value_of(cache: BlobCache, key: bytes, room: int = 100) -> bytes | int:
    """The value if it fits into so many bytes, else its size."""
    buffer = bytearray(room)
    size = cache.get(key, buffer)
    return bytes(buffer[:size]) if size <= room else size


def keys(cache: BlobCache, candidates: Sequence[bytes]) -> list[bytes]:
    """Those that have a value; asked for without copying, which would make them young."""
    return [key for key in candidates if cache.get(key, bytearray(0))]


def flat(*entries: tuple[bytes, bytes], build_id: bytes = b"[HOST]", versions: tuple[int, int] = (3, 1)) -> bytes:
    """The form on disk, written by hand: header of 32 bytes, build id from its byte 28, entries padded to 8."""
    header = struct.pack("=III", MAGIC, *versions) + bytes(4) + struct.pack("=Qi", len(entries), len(build_id))
    assert len(header) == 28
    data = header + build_id
    data += bytes((32 + len(build_id) + 7) // 8 * 8 - len(data))
    for key, value in entries:
        data += struct.pack("=QQ", len(key), len(value)) + key + value
        data += bytes((8 - len(data) % 8) % 8)
    return data


def test_values_come_back() -> None:
    """A value is found by its key, the last one counts, and the total is that of all keys and values."""
    cache = BlobCache(10, 10, 100)
    cache.set(b"a", b"one")
    cache.set(b"bb", b"two")
    cache.set(b"a", b"three")
    assert (value_of(cache, b"a"), value_of(cache, b"bb"), value_of(cache, b"c")) == (b"three", b"two", b"")
    assert cache.total_size == 1 + 5 + 2 + 3


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"", b"v"), (b"k", b""), (b"kkkk", b"v"), (b"k", b"vvvvv"), (b"kkk", b"vvv")],
    ids=["no key", "no value", "key too long", "value too long", "both too long"],
)
def test_limits(key: bytes, value: bytes) -> None:
    """What is empty or exceeds a limit is ignored."""
    cache = BlobCache(3, 4, 5)
    cache.set(key, value)
    assert (len(cache), cache.total_size) == (0, 0)


def test_what_is_ignored_keeps_the_old_value() -> None:
    """A value that is too long does not replace the one that is there."""
    cache = BlobCache(3, 4, 10)
    cache.set(b"k", b"old")
    cache.set(b"k", b"longer")
    assert value_of(cache, b"k") == b"old"


def test_short_buffers() -> None:
    """Into a buffer that is too short nothing is copied; one of exactly the size will do."""
    cache = BlobCache(10, 10, 100)
    cache.set(b"k", b"value")
    short = bytearray(b"....")
    assert cache.get(b"k", short) == 5
    assert short == b"...."
    assert value_of(cache, b"k", 5) == b"value"


def test_allocated_buffers() -> None:
    """The allocator is asked for the size of the value, and may refuse."""
    cache, asked, buffer = BlobCache(10, 10, 100), [], bytearray(5)
    cache.set(b"k", b"value")

    def allocate(size: int) -> bytearray | None:
        asked.append(size)
        return buffer if len(asked) > 1 else None

    assert [cache.get_allocated(b"k", allocate) for _ in range(2)] == [5, 5]
    assert asked == [5, 5]
    assert buffer == b"value"
    assert cache.get_allocated(b"other", allocate) == 0
    assert asked == [5, 5]


# Four entries of 2 bytes fill a cache of 8; then one of 3 bytes comes. HALVE empties to 4 bytes, FIT to 8 - 3 = 5
# (so to 4 too, in steps of 2), FIT_HALVE to the lower of both.
@pytest.mark.parametrize("capacity", Capacity)
def test_least_recently_used_go_first(capacity: Capacity) -> None:
    """The entries go that were set or copied longest ago."""
    cache = BlobCache(8, 8, 8, LRU[capacity])
    for key in (b"a", b"b", b"c", b"d"):
        cache.set(key, b"1")
    assert value_of(cache, b"a") == b"1"
    assert value_of(cache, b"b", 0) == 1, "not copied, so not used"
    cache.set(b"e", b"22")
    assert keys(cache, (b"a", b"b", b"c", b"d", b"e")) == [b"a", b"d", b"e"]
    assert cache.total_size == 7


# Ten bytes in five entries; one of 2 bytes comes: HALVE to 5 (so 4), FIT to 10 - 2 = 8, FIT_HALVE to 5 (so 4).
@pytest.mark.parametrize(("capacity", "left"), [(Capacity.HALVE, 6), (Capacity.FIT, 10), (Capacity.FIT_HALVE, 6)])
def test_how_much_goes(capacity: Capacity, left: int) -> None:
    """Policies differ in how far they empty the cache."""
    cache = BlobCache(8, 8, 10, LRU[capacity])
    for number in range(6):
        cache.set(b"%d" % number, b"v")
    assert cache.total_size == left
    assert value_of(cache, b"5") == b"v"


# 4 bytes are at most half of 9, so HALVE does not clean; the others may.
@pytest.mark.parametrize(
    ("capacity", "found"), [(Capacity.HALVE, b""), (Capacity.FIT, b"6bytes"), (Capacity.FIT_HALVE, b"6bytes")]
)
def test_when_nothing_may_go(capacity: Capacity, found: bytes) -> None:
    """A cache that is at most half full is not cleaned by HALVE: what does not fit then is ignored."""
    cache = BlobCache(8, 8, 9, LRU[capacity])
    cache.set(b"a", b"123")
    cache.set(b"b", b"6bytes")
    assert value_of(cache, b"b") == found


def test_growing_entries_count_their_growth() -> None:
    """For FIT a replaced entry needs only what it grows by; it may itself be the one that goes."""
    cache = BlobCache(8, 8, 8, LRU[Capacity.FIT])
    cache.set(b"a", b"1")
    cache.set(b"b", b"1")
    cache.set(b"c", b"1")
    # 6 bytes; a grows by 3, to be allowed 5 before that: a goes itself, 4 are left, and 5 more make 9, so b goes too.
    cache.set(b"a", b"4444")
    assert keys(cache, (b"a", b"b", b"c")) == [b"a", b"c"]
    assert cache.total_size == 7


def test_random_victims() -> None:
    """Victims are chosen by index among the entries in their order: by key size, then bytewise."""
    asked: list[int] = []

    def second(count: int) -> int:
        asked.append(count)
        return 1

    cache = BlobCache(8, 8, 12, Policy(Select.RANDOM, Capacity.FIT), choose=second)
    for key in (b"zz", b"b", b"a", b"c"):
        cache.set(key, b"1")
    # 9 bytes: a, b, c, zz. An entry of 6 needs 3 to go: b, then c.
    cache.set(b"d", b"12345")
    assert asked == [4, 3]
    assert keys(cache, (b"a", b"b", b"c", b"zz", b"d")) == [b"a", b"zz", b"d"]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=60),
    st.sampled_from(Select),
    st.sampled_from(Capacity),
)
def test_it_never_exceeds_its_limit(sets: list[tuple[int, int]], select: Select, capacity: Capacity) -> None:
    """Whatever is set, the total is that of the entries and within the limit, and no value is another key's."""
    choose = random.Random(0).randrange  # noqa: S311 - no secret
    cache = BlobCache(8, 10, 25, Policy(select, capacity), choose=choose)
    last: dict[bytes, bytes] = {}
    for number, size in sets:
        key, value = b"%d" % number, b"%d" % number * size
        cache.set(key, value)
        if 0 < size <= 10:
            last[key] = value
        held = {key: value_of(cache, key) for key in keys(cache, list(last))}
        sizes = [len(key) + len(value) for key, value in held.items() if isinstance(value, bytes)]
        assert cache.total_size == sum(sizes) <= 25
        assert len(sizes) == len(held) == len(cache)
        # Which of a key's values is held depends on what fitted; it is one of its own.
        assert all(isinstance(value, bytes) and set(value) == set(key) for key, value in held.items())


def test_the_form_on_disk() -> None:
    """The bytes are those of the sheet, entries by key size, then bytewise."""
    cache = BlobCache(10, 10, 100)
    cache.set(b"bb", b"two")
    cache.set(b"b", b"one")
    cache.set(b"a", b"12345678")
    assert cache.flatten() == flat((b"a", b"12345678"), (b"b", b"one"), (b"bb", b"two"))
    assert BlobCache(1, 1, 2).flatten() == flat()


def test_reading_it_back() -> None:
    """What was flattened comes back, behind rubbish at the end too; the total starts anew."""
    cache = BlobCache(10, 10, 100)
    cache.set(b"old", b"entry")
    cache.unflatten(flat((b"k", b"v"), (b"key", b"value")) + b"rest")
    assert keys(cache, (b"old", b"k", b"key")) == [b"k", b"key"]
    assert cache.total_size == 2 + 8


def test_limits_hold_for_what_is_read() -> None:
    """Entries that are too long are left out, too many of them are evicted."""
    cache = BlobCache(2, 3, 5, LRU[Capacity.FIT])
    cache.unflatten(flat((b"key", b"v"), (b"k", b"vvvv"), (b"a", b"11"), (b"b", b"22")))
    assert keys(cache, (b"key", b"k", b"a", b"b")) == [b"b"]


@pytest.mark.parametrize(
    "data",
    [
        flat((b"k", b"v"), versions=(2, 1)),
        flat((b"k", b"v"), versions=(3, 2)),
        flat((b"k", b"v"), build_id=b"another build"),
        flat((b"k", b"v"), build_id=b"[host]"),
    ],
    ids=["cache version", "device version", "length of build id", "build id"],
)
def test_others_forms_are_empty(data: bytes) -> None:
    """What another version or build has written leaves an empty cache, without an error."""
    cache = BlobCache(10, 10, 100)
    cache.set(b"old", b"entry")
    cache.unflatten(data)
    assert (len(cache), cache.total_size) == (0, 0)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        flat()[:31],
        b"x" + flat()[1:],
        flat((b"a", b"1"), (b"k", b"value"))[:-8],
        flat((b"a", b"1"))[:-20],
        flat()[:16] + struct.pack("=Q", 2**63) + flat()[24:],
        flat()[:16] + struct.pack("=Q", 1) + flat()[24:] + struct.pack("=QQ", 2**64 - 1, 1) + b"k",
    ],
    ids=["empty", "short header", "magic", "cut value", "cut sizes", "too many entries", "huge key"],
)
def test_damaged_forms(data: bytes) -> None:
    """What is cut off or no blob cache at all is an error, and leaves an empty cache."""
    cache = BlobCache(10, 10, 100)
    cache.set(b"old", b"entry")
    with pytest.raises(ValueError, match="blob cache"):
        cache.unflatten(data)
    assert (len(cache), cache.total_size) == (0, 0)
