"""``nnvet serve``: a driver as a service for others to connect to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import Driver


def serve(
    driver: Driver = "reference",
    socket: Annotated[Path, typer.Option("--socket", help="Path on which to listen.")] = Path("nnvet.sock"),
    any_user: Annotated[bool, typer.Option("--any-user", help="Let other users connect, not only your own.")] = False,
) -> None:
    """Serve a driver on a socket until interrupted; clients use unix:SOCKET."""
    from nnvet.adapters.service.main import main as serve_main

    raise typer.Exit(serve_main(["--socket", str(socket), *(["--any-user"] if any_user else []), driver]))
