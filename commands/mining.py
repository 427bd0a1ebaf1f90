"""``nnvet mine``: makes a corpus of tests from a user's own models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnvet.commands.options import user_errors


def mine(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Files *.tflite and *.onnx, and folders of such.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the specs and mined.json.")] = Path("mined"),
    least: Annotated[
        int, typer.Option(min=1, help="Groups of operations are kept if they occur so often; single ones always.")
    ] = 2,
) -> None:
    """Cut models into single operations and recurring fragments, and write each as a spec, with how often it occurs.

    Run them with nnvet run --specs DIR, which reports pass rates plain and weighted by occurrence.
    """
    from nnvet.commands.mining_models import mine_models

    with user_errors():
        mine_models(models, out, least)
