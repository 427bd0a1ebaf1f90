"""The option ``--trace`` of ``nnvet run``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nnvet.commands.options import CommandError, table_console
from nnvet.diagnostics.chrome_trace import write_chrome_trace
from nnvet.diagnostics.trace_summary import summarize, summary_table
from nnvet.diagnostics.trace_tree import TraceError
from nnvet.diagnostics.tracing import Bucket, Layer, TracePhase, recording, span

_RUN: Final = Bucket(Layer.APPLICATION, TracePhase.OVERALL)


@contextmanager
def trace_run(file: Path | None, driver: str) -> Iterator[None]:
    """Record the block, then write the trace and print its summary; nothing of that without a file.

    :raises CommandError: the file cannot be written, at the beginning or at the end.
    """
    if file is None:
        yield
        return
    try:
        # Before the run rather than after it.
        file.write_bytes(b"")
    except OSError as error:
        raise CommandError(f"--trace {file} cannot be written: {error.strerror}") from error
    with recording() as recorded:
        with span(_RUN, f"nnvet run -d {driver}"):
            yield
        try:
            write_chrome_trace(recorded, file)
        except OSError as error:
            raise CommandError(f"--trace {file} cannot be written: {error.strerror}; the log is whole") from error
    console = table_console()
    try:
        console.print(summary_table(summarize(recorded)))
    except TraceError as error:
        console.print(f"no summary of the trace: {error}", markup=False)
    console.print(f"  trace: {file}", markup=False)


def check_trace(file: Path | None, jobs: int, drivers: int) -> None:
    """Refuse what no single trace can hold.

    :raises CommandError: several processes or several drivers.
    """
    if file is not None and (jobs > 1 or drivers > 1):
        raise CommandError("--trace is for one driver in one process of the suite: use one -d, and -n 1")
