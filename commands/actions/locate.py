"""Work of ``nnvet locate``: find a network's error, print its operations, save a page and the failing part.

:mod:`nnvet.conformance.engine.locating` finds the error, :mod:`nnvet.commands.actions.locate_page` makes the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec.structs import replace
from rich.console import Console
from rich.table import Column, Table

from nnvet.adapters.litert.writing import TFLITE_SUFFIX
from nnvet.commands.actions.locate_page import FailingPart, litert_script, located_issue, located_page
from nnvet.commands.actions.replay import replay_of_saved
from nnvet.commands.options import CommandError, table_console
from nnvet.conformance.engine.driver import DriverUnderTest, open_subject
from nnvet.conformance.engine.locating import MANNER, Located, find_smallest_part, locate, measure_times
from nnvet.conformance.engine.retesting import provenance
from nnvet.conformance.engine.saved_failures import save_failure
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.formats.onnx.reader import import_network
from nnvet.formats.tflite.importer import import_model
from nnvet.generators.random_graphs.golden import estimates
from nnvet.generators.specs.loader import SPEC_SUFFIX
from nnvet.graphs.editor import with_operands
from nnvet.graphs.hal_model import read_model
from nnvet.graphs.model import TestModel, TestOperand, element_type
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.reports.facts import machine_facts
from nnvet.reports.files import replace_file
from nnvet.reports.github import surroundings
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT

PAGE: Final = "index.html"
"""Page in the folder of the results."""
PART: Final = "part"
"""Folder of the operations that fail alone."""
ISSUE: Final = "issue.md"
"""Text of an issue about the failing part, in the folder of that part."""
SCRIPT: Final = "litert.py"
"""Program that runs the failing part on LiteRT, with its inputs and ideal outputs in the next file."""
_VALUES: Final = "values.npz"
"""File with inputs and ideal outputs of the failing part."""


@dataclass(frozen=True)
class LocatingChoice:
    """The options of the command."""

    network: Path
    target: Target
    inputs: Path | None
    seed: int
    out: Path
    everything: bool = False
    runs: int = 0


def show_located(choice: LocatingChoice) -> int:
    """Locate the error, print it and write the files; return the exit code.

    :raises CommandError: the driver does not run the network, the inputs do not fit, or a file cannot be written.
    :raises ModelFileError: there is no such network.
    :raises SelectorError: there is no such driver.
    """
    with import_network(choice.network) as imported:
        test = read_model(imported.model, choice.network.stem)
        names = [described.name for described in imported.inputs]
    test = _set_inputs(test, choice, names)
    console = table_console(highlight=False)
    with open_subject(choice.target) as subject:
        try:
            found = locate(subject, test)
        except CaseFailed as failed:
            raise CommandError(f"{choice.target.selector}: {failed.outcome.reason}") from failed
        except (HalError, ValueError) as error:
            raise CommandError(f"{choice.target.selector}: {error}") from error
        if choice.runs:
            found = measure_times(subject, found, choice.runs)
        _show(found, console, everything=choice.everything)
        try:
            _save(found, subject, choice, console)
        except OSError as error:
            raise CommandError(f"{error.filename or choice.out} cannot be written: {error.strerror}") from error
    return EXIT_NOT_CONFORMANT if found.first or found.wrong else EXIT_CONFORMANT


def _save(found: Located, subject: DriverUnderTest, choice: LocatingChoice, console: Console) -> None:
    """Write the page, and the part that fails alone with an issue about it, if there is one.

    :raises OSError: a file cannot be written.
    """
    choice.out.mkdir(parents=True, exist_ok=True)
    part, folder = None, choice.out / PART
    if (small := find_smallest_part(subject, found)) is not None:
        test, outcome = small
        saved = save_failure(folder, test, provenance(MANNER, choice.target.selector, outcome))
        viewed = saved.spec.with_name(saved.spec.name.removesuffix(SPEC_SUFFIX) + TFLITE_SUFFIX)
        part = FailingPart(
            len(test.main.operations), replay_of_saved(folder, choice.target), has_tflite=viewed.exists()
        )
        script = _write_script(choice.target.selector, test, viewed, folder)
        facts = [*surroundings(subject.facts, machine_facts()), f"nnvet {version('nnvet')}"]
        replace_file(folder / ISSUE, located_issue(found, choice.network.name, facts, part, script))
    page = located_page(found, choice.network.name, choice.target.selector, part)
    replace_file(choice.out / PAGE, page)
    console.print(f"page: {choice.out / PAGE}", markup=False)
    if part is not None:
        console.print(f"fails alone, {part.size} operation{'s' * (part.size > 1)}; replay:", markup=False)
        console.print(f"  {part.replay}", markup=False, soft_wrap=True)
        console.print(f"text of an issue: {folder / ISSUE}", markup=False)
    elif found.first is not None:
        console.print("no part of the network fails alone: the fault needs the whole")


def _write_script(selector: str, test: TestModel, file: Path, folder: Path) -> str:
    """Write a program for LiteRT, its inputs and the ideal outputs; return the program.

    It is empty for other drivers, and where TFLite has no form of the part, or keeps states, which are no inputs of a
    file.
    """
    script = litert_script(selector, file.name)
    if not script or not file.exists():
        return ""
    with import_model(file) as imported:
        if imported.states:
            return ""
    values: dict[str, Any] = {f"input_{number}": operand.data for number, operand in enumerate(test.main.inputs)}
    values |= {f"expected_{number}": bound.value for number, bound in enumerate(estimates(test))}
    with (folder / _VALUES).open("wb") as stream:
        np.savez(stream, **values)
    replace_file(folder / SCRIPT, script)
    return script


def _set_inputs(test: TestModel, choice: LocatingChoice, names: Sequence[str]) -> TestModel:
    """Return the network with the given or drawn inputs; states begin at zero."""
    given = {} if choice.inputs is None else read_arrays(choice.inputs)
    rng = np.random.default_rng(choice.seed)
    changed = {}
    for position, index in enumerate(test.main.input_indexes):
        operand, is_state = test.main.operands[index], position >= len(names)
        data = np.full(math.prod(operand.dimensions), operand.zero_point, element_type(operand.type))
        if given and not is_state:
            data = _find_input(given, names[position], position, operand)
        elif not is_state:
            data = _draw_input(operand, rng)
        changed[index] = replace(operand, data=data)
    return replace(test, main=with_operands(test.main, changed))


def read_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of a file ``.npz`` by name.

    :raises CommandError: it is none.
    """
    try:
        with np.load(path) as file:
            return dict(file)
    except Exception as error:
        # Archive, compression and headers have errors of their own, and NumPy reads the headers as Python's source.
        raise CommandError(f"{path} is no file *.npz of arrays: {error}") from error


def _find_input(given: dict[str, Any], name: str, position: int, operand: TestOperand) -> Any:
    """Return the array for an input, found by name or else by position."""
    arrays = list(given.values())
    found = given.get(name, arrays[position] if position < len(arrays) else None)
    if found is None or found.size != math.prod(operand.dimensions):
        shape = "missing" if found is None else f"of shape {list(found.shape)}"
        raise CommandError(f"input {name!r} is {shape}; the network takes {list(operand.dimensions)}")
    return np.ascontiguousarray(found, element_type(operand.type)).reshape(-1)


def _draw_input(operand: TestOperand, rng: np.random.Generator) -> Any:
    kind, count = element_type(operand.type), math.prod(operand.dimensions)
    if type_info(operand.type).is_float:
        return rng.uniform(-1, 1, count).astype(kind)
    limits = np.iinfo(kind)
    low, high = (limits.min, limits.max) if type_info(operand.type).is_quantized else (0, 1)
    return rng.integers(low, high, count, kind, endpoint=True)


def _show(found: Located, console: Console, *, everything: bool) -> None:
    titles = ["own error / bound", "off by", "noise of type"]
    is_timed = any(layer.milliseconds is not None for layer in found.layers)
    right = [Column(title, justify="right") for title in titles + ["ms alone"] * is_timed]
    table = Table(Column("operation", justify="right"), "", "type", *right, "", box=None)
    # Times are wanted of all operations.
    everything = everything or is_timed
    shown = [layer for layer in found.layers if everything or layer.fault or layer.amplifies]
    for layer in shown:
        own = "-" if layer.own is None else f"{layer.own:.3g}"
        says = "WRONG" if layer.fault else "amplifies" if layer.amplifies else ""
        time = "-" if layer.milliseconds is None else f"{layer.milliseconds:.3f}"
        numbers = [own, f"{layer.off:.1e}", f"{layer.noise:.1e}", *[time] * is_timed]
        table.add_row(str(layer.position), layer.operation, layer.type, *numbers, says)
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
