"""``nnvet graph``, ``nnvet export`` and ``nnvet export-driver``: what driver authors use beside the suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import Drivers, user_errors

Spec = Annotated[
    str,
    typer.Argument(metavar="SPEC[:CASE]", help="Spec file, and the name or glob of a case; default: the first."),
]


def graph(
    spec: Spec,
    out: Annotated[
        Path | None, typer.Option("--out", help="File.dot, or file.svg if Graphviz is installed; default: print.")
    ] = None,
    subgraphs: Annotated[bool, typer.Option("--subgraphs", help="Draw referenced subgraphs too.")] = False,
) -> None:
    """Draw the model of a spec's case in Graphviz' language."""
    from nnvet.commands.drawing import draw

    with user_errors():
        draw(spec, out, subgraphs=subgraphs)


def export(
    spec: Spec,
    out: Annotated[
        Path | None, typer.Option("--out", help="File.mod.py, or file.tflite for its model alone; default: print.")
    ] = None,
) -> None:
    """Write a spec's case, with its variations applied, as a spec file of its own, or its model for TFLite."""
    from nnvet.commands.drawing import write_case

    with user_errors():
        write_case(spec, out)


def export_driver(
    driver: Drivers = ["reference"],
    out: Annotated[Path, typer.Option("--out", help="The library to write.")] = Path("libneuralnetworks.so"),
) -> None:
    """Make a shared library of drivers, which exports the NNAPI's C API and the entry of support libraries."""
    from nnvet.commands.exporting import write_library

    with user_errors():
        write_library(driver, out)
    typer.echo(f"library: {out}")
