"""Work of ``nnvet mine``: cut models into fragments, write these as specs, and name the ones that are left out.

:mod:`nnvet.generators.mining` collects and writes the fragments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import typer

from nnvet.adapters.litert.writing import TFLITE_SUFFIX
from nnvet.commands.options import CommandError
from nnvet.formats.errors import ModelFileError
from nnvet.formats.onnx import SUFFIX
from nnvet.formats.onnx.reader import import_network
from nnvet.generators.mining.collection import Collection
from nnvet.generators.mining.manifest import LeftOut, Manifest, ManifestError
from nnvet.generators.mining.spec_folder import write_fragments
from nnvet.generators.reducer.evaluation import NotReducibleError
from nnvet.graphs.hal_model import read_model

_NAMED: Final = 5
"""Most left-out fragments that are named; the manifest has all."""


def mine_models(models: Sequence[Path], out: Path, least: int) -> None:
    """Write the fragments of all models into a folder, and print a summary.

    :raises CommandError: no model can be mined, or the folder cannot be written.
    """
    collection, left_out = Collection(), list[LeftOut]()
    sizes: dict[str, int] = {}
    files = list(_list_files(models))
    stems = Counter(file.stem for file in files)
    for file in files:
        name = file.stem if stems[file.stem] == 1 else str(file)
        try:
            with import_network(file) as imported:
                model = read_model(imported.model, name)
            collection.add(name, model, [(state.input_index, state.output_index) for state in imported.states])
        except (ModelFileError, NotReducibleError) as error:
            left_out.append(LeftOut(name, str(error)))
            typer.echo(f"left out: {error}", err=True)
            continue
        sizes[name] = len(model.main.operations)
        typer.echo(f"{name}: {sizes[name]} operations")
    if not sizes:
        raise CommandError("no model could be mined; the lines above say why")
    try:
        manifest = write_fragments(out, collection.fragments(least), sizes, left_out)
    except (OSError, ManifestError) as error:
        what = f"{error.filename or out} cannot be written: {error.strerror}" if isinstance(error, OSError) else error
        raise CommandError(str(what)) from error
    _print_summary(manifest, len(left_out), out)


def _list_files(models: Sequence[Path]) -> Iterator[Path]:
    """Yield the given model files and those of given folders, each once.

    :raises CommandError: a folder has none.
    """
    seen: set[Path] = set()
    for place in models:
        found = (
            sorted(file for suffix in (TFLITE_SUFFIX, SUFFIX) for file in place.rglob(f"*{suffix}"))
            if place.is_dir()
            else [place]
        )
        if not found:
            raise CommandError(f"{place}: there are no models (*{TFLITE_SUFFIX}, *{SUFFIX}) in this folder")
        for file in found:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def _print_summary(manifest: Manifest, models_left_out: int, out: Path) -> None:
    single = [fragment for fragment in manifest.fragments if len(fragment.operations) == 1]
    groups = [fragment for fragment in manifest.fragments if len(fragment.operations) > 1]
    for kind, found in (("single operations", single), ("groups of operations", groups)):
        typer.echo(f"{kind}: {len(found)} that differ, {sum(fragment.count for fragment in found)} occurrences")
    fragments = manifest.left_out[models_left_out:]
    for fragment in fragments[:_NAMED]:
        typer.echo(f"left out: {fragment.name}: {fragment.reason}")
    if len(fragments) > _NAMED:
        typer.echo(f"left out: {len(fragments) - _NAMED} more")
    typer.echo(f"now: nnvet run -d DRIVER --specs {out}")
