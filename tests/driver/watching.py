"""Watches the driver in this process: no unexpected exception, no warning, no runaway memory or time."""

import signal
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nnvet.diagnostics.exceptions import traceback_of

PROCESSOR_SECONDS = 10


class TooLong(BaseException):
    """The driver has used too much of the processor; it is no Exception, so that no driver catches it."""


class Watch:
    """Looks at what happens while :meth:`over` is entered."""

    def __init__(self) -> None:
        """Have seen nothing yet."""
        self.failures: list[str] = []

    @contextmanager
    def over(self, peak_bytes: int) -> Iterator[None]:
        """Fail if a launched task raises, anything is warned of, or memory or time run away meanwhile."""
        self.failures.clear()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        assert [str(warning.message) for warning in caught] == []
        assert self.failures == []
        assert tracemalloc.get_traced_memory()[1] - before < peak_bytes


def _interrupt(*_: object) -> None:
    raise TooLong


@contextmanager
def watching() -> Iterator[Watch]:
    """A watch that works while the block runs."""
    watch = Watch()

    def failed(error: BaseException) -> str:
        watch.failures.append(text := traceback_of(error))
        return text

    before = signal.signal(signal.SIGPROF, _interrupt)
    tracemalloc.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            # Other exceptions of a launched task than HalError are only printed.
            patch.setattr("nnvet.driver_kit.base_prepared_model.traceback_of", failed)
            yield watch
    finally:
        tracemalloc.stop()
        signal.signal(signal.SIGPROF, before)
