"""Memory of services: how it is measured, and how those that exceed the limit end."""

import mmap
import os
import shlex
import sys
from pathlib import Path

import pytest

from nnvet.adapters import DriverBloat, DriverCrash, open_driver
from nnvet.adapters.drivers import ProcessDriver
from nnvet.adapters.service.activity import DEFAULT_LIMIT, MemoryMeter, limit_in_bytes
from nnvet.hal.types import DeviceType
from tests.adapters.conftest import OpenDriver, selector

LIMIT = 300 << 20
"""Bytes; a Python driver that does nothing has about 60 MiB."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["Bloats", "BloatsElsewhere", "BloatsFarAway", "BloatsUnmapped"])
def test_a_driver_with_too_much_memory_is_killed(name: str) -> None:
    """The call ends with evidence in bytes, wherever the memory is.

    The service may have taken it, a process of it, one that it has disowned, or nobody may have mapped it.
    """
    with open_driver(selector(name), memory_limit=LIMIT) as driver:
        with pytest.raises(DriverBloat, match=f"Device.get_type: the driver had more than {LIMIT} bytes") as bloat:
            driver.device.get_type()
        evidence = bloat.value.evidence
        assert evidence.memory_limit == LIMIT
        assert evidence.memory is not None
        assert LIMIT <= evidence.memory < 4 * LIMIT
        assert bloat.value.rule == "driver/memory"
        assert not driver.alive
        driver.restart()
        assert driver.device.name == "well-behaved"


def test_a_program_behind_a_shell_is_weighed_too(tmp_path: Path) -> None:
    """The limit counts the memory of all that ``exec:`` has started, not that of the script which starts the driver."""
    program = tmp_path / "start.sh"
    driver = selector("Bloats")
    python = shlex.join([sys.executable, "-P", "-m", "nnvet.adapters.service.main"])
    program.write_text(f'{python} --fd "$NNVET_SOCKET_FD" {shlex.quote(driver)}\necho ended\n')
    started = open_driver(f"exec:sh {shlex.quote(str(program))}", memory_limit=LIMIT)
    with started as opened, pytest.raises(DriverBloat):
        opened.device.get_type()


def test_other_deaths_are_not_taken_for_it(service: OpenDriver) -> None:
    """A driver that ends by itself is a crash like any other, although there is a limit."""
    with pytest.raises(DriverCrash) as crash:
        service("Exits").device.get_type()
    assert crash.value.rule == "driver/crash"
    assert crash.value.evidence.memory_limit is None


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    """A driver below the limit answers; there is a limit unless one asks for none."""
    with open_driver(selector("WellBehaved"), memory_limit=LIMIT) as driver:
        assert driver.device.get_type() is DeviceType.CPU
    with open_driver(selector("WellBehaved")) as driver:
        assert isinstance(driver, ProcessDriver)
        assert driver.memory_limit == DEFAULT_LIMIT == limit_in_bytes(4096)
    assert limit_in_bytes(0) is None


def test_memory_of_this_process() -> None:
    """Memory counts at once when it is allocated and written."""
    before = MemoryMeter().measure((os.getpid(),))
    kept = bytearray(b"x") * (64 << 20)
    after = MemoryMeter().measure((os.getpid(),))
    assert 0.9 * len(kept) < after - before < 1.1 * len(kept)


def test_memory_of_nobody() -> None:
    """A process that has ended has none."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert MemoryMeter().measure((child,)) == 0


def test_shared_memory_counts_once() -> None:
    """Shared memory counts also if it is not mapped, however many descriptors it has; mapped, it counts once."""
    before = MemoryMeter().measure((os.getpid(),))
    size = 256 << 20
    first = os.memfd_create("pool")
    second = os.dup(first)
    try:
        os.posix_fallocate(first, 0, size)
        assert 0.8 * size < MemoryMeter().measure((os.getpid(),)) - before < 1.2 * size
        with mmap.mmap(first, size) as mapped:
            for place in range(0, size, mmap.PAGESIZE):
                mapped[place] = 1
            assert 0.8 * size < MemoryMeter().measure((os.getpid(),)) - before < 1.3 * size
    finally:
        os.close(first)
        os.close(second)
