"""Drivers of tests/adapters/misbehaving.py, in a service process or in this one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import pytest

from nnvet.adapters.drivers import Driver, open_driver

MISBEHAVING = Path(__file__).parent / "misbehaving.py"
PATIENCE_S = 30.0

OpenDriver = Callable[..., Driver]


def selector(name: str) -> str:
    """Selector of one of the misbehaving drivers."""
    return f"python:{MISBEHAVING}:{name}"


@pytest.fixture
def service() -> Iterator[OpenDriver]:
    """Opens misbehaving drivers, each in a process of its own, by name."""
    with ExitStack() as stack:
        yield lambda name, timeout_s=PATIENCE_S: stack.enter_context(open_driver(selector(name), timeout_s=timeout_s))


@pytest.fixture(params=[False, True], ids=["service", "in-process"])
def anywhere(request: pytest.FixtureRequest) -> Iterator[OpenDriver]:
    """Opens misbehaving drivers by name, once in a process of their own and once in this one."""
    with ExitStack() as stack:
        open_one: Callable[..., AbstractContextManager[Driver]] = partial(open_driver, in_process=request.param)
        yield lambda name, timeout_s=PATIENCE_S: stack.enter_context(open_one(selector(name), timeout_s=timeout_s))
