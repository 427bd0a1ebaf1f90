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
        int,
        typer.Option(
            min=1, help="Keep groups of operations that occur at least this often; single operations are always kept."
        ),
    ] = 2,
) -> None:
    """Make tests of the operations and fragments of your models.

    Each operation and recurring fragment becomes a spec, with how often it occurs.
    Run them with nnvet run --specs DIR, which reports the pass rate, also weighted by occurrence.
    """
    from nnvet.commands.actions.mine import mine_models

    with user_errors():
        mine_models(models, out, least)
