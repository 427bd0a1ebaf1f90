"""Work of ``nnvet locate``: find a network's error, print its operations, save a picture and the failing part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from msgspec.structs import replace
from rich.console import Console
from rich.table import Column, Table

from nnvet.commands.actions.replay import replay_of_saved
from nnvet.commands.options import CommandError, table_console
from nnvet.conformance.engine.driver import open_subject
from nnvet.conformance.engine.locating import MANNER, Located, NetworkLayer, locate, smallest_part
from nnvet.conformance.engine.retesting import provenance
from nnvet.conformance.engine.saved_failures import save_failure
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.formats.onnx.reader import import_network
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import read_model
from nnvet.graphs.model import TestModel, TestOperand, element_type
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.reports.files import replace_file
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT

PICTURE: Final = "layers.svg"
PART: Final = "part"
_WIDTH, _HEIGHT, _LEFT = 960, 300, 50
_LOWEST: Final = -8
"""The picture begins at a relative error of 10 to this power."""


@dataclass(frozen=True)
class LocatingChoice:
    """The options of the command."""

    network: Path
    target: Target
    inputs: Path | None
    seed: int
    out: Path
    everything: bool = False


def show_located(choice: LocatingChoice) -> int:
    """Locate the error, print it and write the files; return the exit code.

    :raises CommandError: the driver does not run the network, the inputs do not fit, or a file cannot be written.
    :raises ModelFileError: there is no such network.
    :raises SelectorError: there is no such driver.
    """
    with import_network(choice.network) as imported:
        test = read_model(imported.model, choice.network.stem)
        names = [described.name for described in imported.inputs]
    test = _with_inputs(test, choice, names)
    console = table_console(highlight=False)
    with open_subject(choice.target) as subject:
        try:
            found = locate(subject, test)
        except CaseFailed as failed:
            raise CommandError(f"{choice.target.selector}: {failed.outcome.reason}") from failed
        except (HalError, ValueError) as error:
            raise CommandError(f"{choice.target.selector}: {error}") from error
        _show(found, console, everything=choice.everything)
        try:
            choice.out.mkdir(parents=True, exist_ok=True)
            replace_file(choice.out / PICTURE, picture(found.layers))
            console.print(f"picture: {choice.out / PICTURE}", markup=False)
            if (part := smallest_part(subject, found)) is not None:
                small, outcome = part
                save_failure(choice.out / PART, small, provenance(MANNER, choice.target.selector, outcome))
                count = len(small.main.operations)
                console.print(f"fails alone, {count} operation{'s' * (count > 1)}; replay:", markup=False)
                console.print(f"  {replay_of_saved(choice.out / PART, choice.target)}", markup=False, soft_wrap=True)
            elif found.first is not None:
                console.print("no part of the network fails alone: the fault needs the whole")
        except OSError as error:
            raise CommandError(f"{error.filename or choice.out} cannot be written: {error.strerror}") from error
    return EXIT_NOT_CONFORMANT if found.first or found.wrong else EXIT_CONFORMANT


def _with_inputs(test: TestModel, choice: LocatingChoice, names: Sequence[str]) -> TestModel:
    """Return the network with the given or drawn inputs; states begin at zero."""
    given = {} if choice.inputs is None else _read(choice.inputs)
    rng = np.random.default_rng(choice.seed)
    changed = {}
    for position, index in enumerate(test.main.input_indexes):
        operand, is_state = test.main.operands[index], position >= len(names)
        data = np.full(math.prod(operand.dimensions), operand.zero_point, element_type(operand.type))
        if given and not is_state:
            data = _fitting(given, names[position], position, operand)
        elif not is_state:
            data = _drawn(operand, rng)
        changed[index] = replace(operand, data=data)
    return replace(test, main=with_operands(test.main, changed))


def _read(path: Path) -> dict[str, Any]:
    try:
        with np.load(path) as file:
            return dict(file)
    except (OSError, ValueError, TypeError, BadZipFile) as error:
        raise CommandError(f"{path} is no file *.npz of arrays: {error}") from error


def _fitting(given: dict[str, Any], name: str, position: int, operand: TestOperand) -> Any:
    """Return the array for an input, found by name or else by position."""
    arrays = list(given.values())
    found = given.get(name, arrays[position] if position < len(arrays) else None)
    if found is None or found.size != math.prod(operand.dimensions):
        shape = "missing" if found is None else f"of shape {list(found.shape)}"
        raise CommandError(f"input {name!r} is {shape}; the network takes {list(operand.dimensions)}")
    return np.ascontiguousarray(found, element_type(operand.type)).reshape(-1)


def _drawn(operand: TestOperand, rng: np.random.Generator) -> Any:
    kind, count = element_type(operand.type), math.prod(operand.dimensions)
    if kind.startswith("float"):
        return rng.uniform(-1, 1, count).astype(kind)
    limits = np.iinfo(kind)
    low, high = (limits.min, limits.max) if type_info(operand.type).is_quantized else (0, 1)
    return rng.integers(low, high, count, kind, endpoint=True)


def _show(found: Located, console: Console, *, everything: bool) -> None:
    right = [Column(title, justify="right") for title in ("own error / bound", "off by", "noise of type")]
    table = Table(Column("operation", justify="right"), "", "type", *right, "", box=None)
    shown = [layer for layer in found.layers if everything or layer.fault or layer.amplifies]
    for layer in shown:
        own = "-" if layer.own is None else f"{layer.own:.2f}"
        says = "WRONG" if layer.fault else "amplifies" if layer.amplifies else ""
        table.add_row(
            str(layer.position), layer.operation, layer.type, own, f"{layer.off:.1e}", f"{layer.noise:.1e}", says
        )
    if shown:
        console.print(table)
    for place, fault in found.wrong.items():
        console.print(f"output {place} is outside of its bound: {fault}", markup=False)
    if not found.wrong:
        console.print("the outputs are within their bounds")
    if found.first is not None:
        first = found.first
        later = sum(bool(layer.fault) for layer in found.layers) - 1
        more = f"; {later} later ones are wrong, too" if later else ""
        console.print(f"first wrong: operation {first.position}, {first.operation}: {first.fault}{more}", markup=False)
    else:
        console.print(f"no operation is wrong by itself: {len(found.layers)} judged with the driver's own inputs")
    if found.differs:
        console.print("the outputs are others when the values in between are read, too")


def picture(layers: Sequence[NetworkLayer]) -> str:
    """Return an SVG of the relative errors of all results, with the noise of each type; wrong operations are red."""
    step = (_WIDTH - _LEFT) / max(len(layers), 1)

    def height(value: float) -> float:
        power = math.log10(value) if value > 0 else _LOWEST
        return _HEIGHT * (min(max(power, _LOWEST), 1) - _LOWEST) / (1 - _LOWEST)

    marks = []
    for layer in layers:
        x, up, noise = _LEFT + step * layer.position, height(layer.off), height(layer.noise)
        own = "own error unknown" if layer.own is None else f"own error {layer.own:.2f} of its bound"
        colour = "#c62828" if layer.fault else "#ef9a3d" if layer.amplifies else "#5c8fbf"
        title = f"{layer.position} {layer.operation}: off by {layer.off:.2e}, {own}"
        place = f'x="{x:.1f}" y="{_HEIGHT - up:.1f}" width="{max(step * 0.8, 0.5):.1f}" height="{up:.1f}"'
        level = f"{_HEIGHT - noise:.1f}"
        marks.append(f'<rect {place} fill="{colour}"><title>{title}</title></rect>')
        marks.append(f'<line x1="{x:.1f}" x2="{x + step:.1f}" y1="{level}" y2="{level}" stroke="black"/>')
    axis = [
        f'<text x="2" y="{_HEIGHT - height(10.0**power) + 4:.1f}" font-size="11">1e{power}</text>'
        for power in range(_LOWEST, 1, 2)
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT + 5}" font-family="sans-serif">'
    return "\n".join([head, *axis, *marks, "</svg>", ""])
