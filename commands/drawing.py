"""Work of ``nnvet graph`` and ``nnvet export``: draw a spec's case, or write it as a spec or TFLite file.

``utilities.py`` has the options of both. The text of a graph comes from ``diagnostics/graph_dump.py``.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import typer

from nnvet.commands.options import CommandError
from nnvet.diagnostics.graph_dump import GraphvizError, graph_dump, svg_of
from nnvet.formats.errors import MissingExtraError
from nnvet.generators.specs import SpecCase, dump_spec, load_spec
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel

_NAMED: Final = 10
"""Most cases that a message names."""
_DRAWINGS: Final = (".dot", ".gv", ".svg")
"""Suffixes of files for drawings."""


def draw(spec: str, out: Path | None, *, subgraphs: bool) -> None:
    """Write the drawing to a file, or print it.

    :raises CommandError: there is no such case, or the file cannot be written.
    :raises SpecError: the case cannot be built.
    """
    if out is not None and out.suffix not in _DRAWINGS:
        raise CommandError(
            f"--out {out}: no drawing can be written as {out.suffix or 'that'}; write FILE.dot or FILE.svg"
        )
    case = spec_case(spec)
    model = build_model(case.build())
    try:
        text = graph_dump(case.name, model, subgraphs=subgraphs)
    finally:
        close_pools(model)
    if out is None:
        typer.echo(text, nl=False)
    else:
        _write(out, _draw_svg(text) if out.suffix == ".svg" else text.encode())


def write_case(spec: str, out: Path | None) -> None:
    """Write the case to a spec or, by the file's suffix, its model to a TFLite file; or print the spec.

    :raises CommandError: as :func:`draw` does, or the model has no form in TFLite.
    :raises SpecError: the case cannot be built.
    """
    from nnvet.adapters.litert.writing import TFLITE_SUFFIX

    case = spec_case(spec)
    test = case.build()
    if out is None:
        typer.echo(dump_spec(test), nl=False)
    else:
        _write(out, _convert_to_tflite(test) if out.suffix == TFLITE_SUFFIX else dump_spec(test).encode())


def _convert_to_tflite(test: TestModel) -> bytes:
    from nnvet.adapters.litert.writing import InexpressibleError, tflite_file

    model = build_model(test)
    try:
        return tflite_file(model)
    except (InexpressibleError, MissingExtraError) as error:
        raise CommandError(f"{test.name}: {error}") from error
    finally:
        close_pools(model)


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from error


def spec_case(spec: str) -> SpecCase:
    """Return the case of SPEC or SPEC:CASE, which may be a glob.

    :raises CommandError: there is no such case.
    :raises SpecError: the file is no valid spec.
    """
    path, glob = (spec, "*") if Path(spec).exists() or ":" not in spec else spec.rpartition(":")[::2]
    if not Path(path).is_file():
        raise CommandError(f"there is no spec file {path}; write SPEC or SPEC:CASE, such as add.mod.py:add_relu")
    cases = load_spec(path)
    for case in cases:
        if case.name == glob or fnmatchcase(case.name, glob):
            return case
    names = [case.name for case in cases]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    raise CommandError(f"{path} has no case {glob!r}; it has {', '.join(names[:_NAMED]) or 'none'}{more}")


def _draw_svg(text: str) -> bytes:
    try:
        return svg_of(text)
    except GraphvizError as error:
        raise CommandError(f"{error}; FILE.dot can be written in any case") from error
