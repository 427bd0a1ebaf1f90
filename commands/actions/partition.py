"""Work of ``nnvet partition``: divide a model among drivers, and show the operations, steps and borders.

A step is a run of operations on one driver; a border is the place where values pass from one driver to another.
:func:`show_placement` prints tables, and :func:`placement_page` makes the page of ``--html``.
:mod:`nnvet.adapters.split` divides the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from nnvet.adapters.drivers import open_driver
from nnvet.adapters.service.activity import limit_in_bytes
from nnvet.adapters.split.advice import with_assignments, with_changes
from nnvet.adapters.split.device import SplitDevice, choice_of
from nnvet.adapters.split.placement import NowhereError, PlacedOperation, Placement, place
from nnvet.adapters.split.plan import SplitOptions
from nnvet.commands.options import CommandError, table_console
from nnvet.formats.tflite.importer import import_model
from nnvet.hal.errors import HalError
from nnvet.reports.html.environment import environment
from nnvet.reports.outcome import EXIT_CONFORMANT, EXIT_NOT_CONFORMANT

_LISTED: Final = 8
"""Most operations that are listed in one line."""


@dataclass(frozen=True)
class PlacingChoice:
    """The options of the command."""

    model: Path
    selectors: tuple[str, ...]
    assign: str
    runs: int
    out: Path | None
    timeout_s: float
    memory_limit_mib: int
    in_process: bool
    page: Path | None = None
    compares: bool = False


def show_placement(choice: PlacingChoice) -> int:
    """Place the model, print the tables and write the files; return the exit code.

    :raises CommandError: a driver does not answer, or a file cannot be written; a missing folder is noticed at once.
    :raises ModelFileError: there is no such model.
    :raises SelectorError: there is no such driver, or no such assignment.
    """
    choose = choice_of(choice.assign, len(choice.selectors))
    _check_folders(choice.out, choice.page)
    console = table_console(highlight=False)
    with ExitStack() as stack:
        imported = stack.enter_context(import_model(choice.model))
        drivers = [
            stack.enter_context(
                open_driver(
                    selector,
                    in_process=choice.in_process,
                    timeout_s=choice.timeout_s,
                    memory_limit=limit_in_bytes(choice.memory_limit_mib),
                )
            )
            for selector in choice.selectors
        ]
        try:
            device = SplitDevice([driver.device for driver in drivers], SplitOptions(choose))
            placement = place(device, choice.selectors, imported.model, choice.model.name, choice.runs)
            placement = with_changes(placement, imported.model)
            if choice.compares and not placement.error:
                placement = with_assignments(placement, device, imported.model)
        except HalError as error:
            raise CommandError(f"a driver does not say what it supports: {error}") from error
        except NowhereError as error:
            _show_left(error.placed, choice.selectors, console)
            return EXIT_NOT_CONFORMANT
    _show(placement, console)
    if choice.out is not None:
        _write(msgspec.json.format(msgspec.json.encode(placement), indent=1) + b"\n", choice.out)
    if choice.page is not None:
        _write(placement_page(placement).encode(), choice.page)
    return EXIT_NOT_CONFORMANT if placement.error else EXIT_CONFORMANT


def _check_folders(*files: Path | None) -> None:
    """Refuse files in folders that do not exist before minutes of measurements, which would be lost."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise CommandError(f"{file} cannot be written: there is no folder {file.parent}")


def _write(content: bytes, out: Path) -> None:
    try:
        out.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}") from error


def _show_left(left: Sequence[PlacedOperation], selectors: tuple[str, ...], console: Console) -> None:
    table = Table("operation", "type", "driver", "why not", box=None)
    for placed in left:
        for number, reason in placed.refusals.items():
            table.add_row(f"{placed.index} {placed.operation}", placed.type, *map(escape, (selectors[number], reason)))
    console.print(table)
    console.print(f"{len(left)} operations are taken by no driver")


def _show(placement: Placement, console: Console) -> None:
    names = [escape(f"{number} {selector}") for number, selector in enumerate(placement.drivers)]
    operations = Table("operation", "type", "driver", Column("step", justify="right"), "why not others", box=None)
    for placed in placement.operations:
        reasons = "; ".join(f"{placement.drivers[number]}: {reason}" for number, reason in placed.refusals.items())
        operations.add_row(
            f"{placed.index} {placed.operation}", placed.type, names[placed.device], str(placed.step), escape(reasons)
        )
    console.print(operations)
    console.print(_draw_steps(placement))
    right = (Column(title, justify="right") for title in ("operations", "bytes in", "bytes out", "ms", "outside ms"))
    steps = Table("step", "driver", *right, box=None)
    for step in placement.steps:
        numbers = (len(step.operations), step.bytes_in, step.bytes_out)
        times = map(_show_time, (step.milliseconds, step.handing_milliseconds))
        steps.add_row(str(step.index), names[step.device], *map(str, numbers), *times)
    console.print(steps)
    if placement.borders:
        _show_borders(placement, console)
    for change in placement.changes:
        at = ", ".join(map(str, change.operations[:_LISTED])) + (" …" if len(change.operations) > _LISTED else "")
        refused = f"{change.operation} in {change.type} at {at}"
        console.print(
            f"{refused}: {placement.drivers[change.device]} refuses it, which costs {change.steps} steps", markup=False
        )
    if placement.error:
        console.print(f"not measured: {placement.error}", markup=False)
        return
    console.print(
        f"{len(placement.steps)} steps: {_show_time(placement.milliseconds)} ms, median of {placement.runs} runs"
    )
    for name, alone in zip(names, placement.whole_milliseconds, strict=True):
        console.print(f"{name} alone: " + ("does not take all of it" if alone is None else f"{_show_time(alone)} ms"))
    for tried in placement.assignments:
        time = "fails" if tried.milliseconds is None else f"{_show_time(tried.milliseconds)} ms"
        console.print(f"{tried.name}: {tried.steps} steps, {time}", markup=False)


def _draw_steps(placement: Placement) -> Text:
    """Return a block for each operation, step by step, in the colours and with the numbers of devices."""
    picture = Text("steps  ")
    for step in placement.steps:
        colour = COLOURS[step.device % len(COLOURS)] if step.device >= 0 else "grey50"
        picture.append(f"{step.device if step.device >= 0 else 'i'}{'█' * len(step.operations)}", colour).append(" ")
    return picture


def _show_borders(placement: Placement, console: Console) -> None:
    right = (Column(title, justify="right") for title in ("from step", "to step", "bytes"))
    borders = Table("border", *right, "dimensions", box=None)
    for border in placement.borders:
        size = "unknown" if border.bytes is None else str(border.bytes)
        shape = "x".join(map(str, border.dimensions))
        borders.add_row(f"operand {border.operand}", str(border.writer), str(border.reader), size, shape)
    console.print(borders)


def _show_time(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.3f}"


COLOURS: Final = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""Colours of the devices by number, reused after six; people who cannot tell red from green can tell them apart."""
_NAMED: Final = 4
"""Most operations of a step that are named in the picture."""


def placement_page(placement: Placement) -> str:
    """Return the HTML page with a picture of the steps, coloured by device, and the cost of the borders."""
    template = environment().get_template("partition.html.j2")
    return template.render(placement=placement, colours=COLOURS, named=_NAMED, answer=_make_answer(placement))


def _make_answer(placement: Placement) -> str:
    """Return in a sentence how long the model takes in steps, and on each driver alone."""
    count = len(placement.steps)
    steps = f"{count:,} {'step' if count == 1 else 'steps'}"
    if placement.milliseconds is None:
        return f"It runs in {steps}, which were not measured: {placement.error or 'no reason is known'}."
    alone = [_describe_alone(*driver) for driver in zip(placement.drivers, placement.whole_milliseconds, strict=True)]
    taken = f"{placement.milliseconds:.3f} ms, the median of {placement.runs:,} runs"
    fastest = next((assignment for assignment in placement.assignments if assignment.milliseconds is not None), None)
    if fastest:
        alone.append(f"of the assignments tried, '{fastest.name}' is the fastest with {fastest.milliseconds:.3f} ms")
    return f"It runs in {steps} and takes {taken}; {'; '.join(alone)}."


def _describe_alone(driver: str, milliseconds: float | None) -> str:
    if milliseconds is None:
        return f"{driver} does not take all of it"
    return f"{driver} alone takes {milliseconds:.3f} ms"
