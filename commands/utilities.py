"""``nnvet graph``, ``export``, ``export-driver`` and ``serve``: tools for driver authors besides the suite.

``drawing.py`` does the work of the first two.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import CommandError, Driver, Drivers, user_errors

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
    """Draw the model of a spec's case as a Graphviz graph."""
    from nnvet.commands.drawing import draw

    with user_errors():
        draw(spec, out, subgraphs=subgraphs)


def export(
    spec: Spec,
    out: Annotated[
        Path | None, typer.Option("--out", help="File.mod.py, or file.tflite for its model alone; default: print.")
    ] = None,
) -> None:
    """Write one case as a spec file or as a TFLite model.

    Its variations are applied before.
    """
    from nnvet.commands.drawing import write_case

    with user_errors():
        write_case(spec, out)


def export_driver(
    driver: Drivers = ["reference"],
    out: Annotated[Path, typer.Option("--out", help="The library to write.")] = Path("libneuralnetworks.so"),
) -> None:
    """Make a shared library out of drivers.

    It exports the NNAPI's C API and the entry point of support libraries.
    """
    with user_errors():
        write_library(driver, out)
    typer.echo(f"library: {out}")


def write_library(drivers: Sequence[str], out: Path) -> None:
    """Build the library ``out``, whose devices are the drivers.

    :raises CommandError: it cannot be built here, or there is no such driver.
    """
    try:
        from nnvet.adapters.nnapi.exported.building import ExportError, export_drivers
    except ModuleNotFoundError as error:
        raise CommandError(f"there is no {error.name}; install it with: pip install 'nnvet[ndk]'") from error
    try:
        export_drivers(drivers, out)
    except ExportError as error:
        raise CommandError(str(error)) from error


def serve(
    driver: Driver = "reference",
    socket: Annotated[Path, typer.Option("--socket", help="Path on which to listen.")] = Path("nnvet.sock"),
    any_user: Annotated[bool, typer.Option("--any-user", help="Let other users connect, not only your own.")] = False,
) -> None:
    """Serve a driver on a socket until interrupted.

    Clients name it unix:SOCKET.
    """
    from nnvet.adapters.service.main import main as serve_main

    raise typer.Exit(serve_main(["--socket", str(socket), *(["--any-user"] if any_user else []), driver]))
