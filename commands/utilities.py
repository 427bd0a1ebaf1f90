"""What driver authors use beside the suite: ``nnvet graph``, ``nnvet export``, and ``--trace`` of ``nnvet run``."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from nnvet.diagnostics.chrome_trace import write_chrome_trace
from nnvet.diagnostics.graph_dump import graph_dump
from nnvet.diagnostics.trace_summary import summarize, summary_table
from nnvet.diagnostics.trace_tree import TraceError
from nnvet.diagnostics.tracing import Bucket, Layer, Phase, recording, span
from nnvet.generators.graphs.hal_model import build_model, close_pools
from nnvet.generators.specs import SpecCase, SpecError, dump_spec, load_spec

Trace = Annotated[
    Path | None,
    typer.Option("--trace", help="File for a trace of the run that Perfetto opens; with -n 1 and one driver."),
]
Spec = Annotated[
    str,
    typer.Argument(metavar="SPEC[:CASE]", help="Spec file, and the name or glob of a case; default: the first."),
]

_RUN: Final = Bucket(Layer.APPLICATION, Phase.OVERALL)
_WIDTH: Final = 130
_NAMED: Final = 10


def graph(
    spec: Spec,
    out: Annotated[
        Path | None, typer.Option("--out", help="File.dot, or file.svg if Graphviz is installed; default: print.")
    ] = None,
    subgraphs: Annotated[bool, typer.Option("--subgraphs", help="Draw referenced subgraphs too.")] = False,
) -> None:
    """Draw the model of a spec's case in Graphviz' language."""
    case = _case(spec)
    try:
        model = build_model(case.build())
    except SpecError as error:
        raise typer.BadParameter(str(error)) from error
    try:
        text = graph_dump(case.name, model, subgraphs=subgraphs)
    finally:
        close_pools(model)
    if out is None:
        typer.echo(text, nl=False)
    else:
        _write(out, _svg(text) if out.suffix == ".svg" else text.encode())


def export(
    spec: Spec,
    out: Annotated[Path | None, typer.Option("--out", help="File.mod.py; default: print.")] = None,
) -> None:
    """Write a spec's case, with its variations applied, as a spec file of its own."""
    case = _case(spec)
    try:
        text = dump_spec(case.build())
    except SpecError as error:
        raise typer.BadParameter(str(error)) from error
    if out is None:
        typer.echo(text, nl=False)
    else:
        _write(out, text.encode())


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be written: {error.strerror}") from error


@contextmanager
def traced(file: Path | None, driver: str) -> Iterator[None]:
    """Record the block, then write the trace and print its summary; nothing of that without a file.

    :raises typer.BadParameter: the file cannot be written.
    """
    if file is None:
        yield
        return
    try:
        # Before the run rather than after it.
        file.write_bytes(b"")
    except OSError as error:
        raise typer.BadParameter(f"--trace {file} cannot be written: {error.strerror}") from error
    with recording() as recorded:
        with span(_RUN, f"nnvet run -d {driver}"):
            yield
        write_chrome_trace(recorded, file)
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH
    try:
        console.print(summary_table(summarize(recorded)))
    except TraceError as error:
        console.print(f"no summary of the trace: {error}", markup=False)
    console.print(f"  trace: {file}", markup=False)


def check_trace(file: Path | None, jobs: int, drivers: int) -> None:
    """Refuse what no single trace can hold.

    :raises typer.BadParameter: several processes or several drivers.
    """
    if file is not None and (jobs > 1 or drivers > 1):
        raise typer.BadParameter("--trace is for one driver in one process of the suite: use one -d, and -n 1")


def _case(spec: str) -> SpecCase:
    path, glob = (spec, "*") if Path(spec).exists() else spec.rpartition(":")[::2]
    try:
        cases = load_spec(path)
    except SpecError as error:
        raise typer.BadParameter(str(error)) from error
    for case in cases:
        if case.name == glob or fnmatchcase(case.name, glob):
            return case
    names = [case.name for case in cases]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    raise typer.BadParameter(f"{path} has no case {glob!r}; it has {', '.join(names[:_NAMED]) or 'none'}{more}")


def _svg(text: str) -> bytes:
    dot = shutil.which("dot")
    if dot is None:
        raise typer.BadParameter("SVG needs Graphviz, whose command 'dot' is not installed; write to FILE.dot instead")
    done = subprocess.run([dot, "-Tsvg"], input=text.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise typer.BadParameter(f"Graphviz fails: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
