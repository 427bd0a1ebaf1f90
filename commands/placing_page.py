"""The page of ``nnvet partition --html``: a picture of the steps, coloured by device, and the costs of borders.

The page is self-contained: it has no script, and loads neither styles nor pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from nnvet.adapters.split.placement import PlacedStep, Placement

COLOURS: Final = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""Colours of the devices by number, reused after six; people who cannot tell red from green can tell them apart."""
_STYLE: Final = """
body { font: 14px sans-serif; margin: 2em; max-width: 70em }
table { border-collapse: collapse; margin: 1em 0 }
td, th { border: 1px solid #bbb; padding: .2em .6em; text-align: left }
td.n { text-align: right }
.steps { display: flex; flex-wrap: wrap; align-items: center; gap: .3em }
.step { color: #fff; border-radius: .3em; padding: .4em .6em; min-width: 5em }
.border { color: #333; font-size: 12px; text-align: center }
"""
_NAMED: Final = 4
"""Operations of a step that are named in the picture."""


def placement_page(placement: Placement) -> str:
    """Return the page, in HTML."""
    title = escape(f"{placement.model} on {' and '.join(placement.drivers)}")
    parts = [
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>",
        f"<h1>{title}</h1><p>{_summary(placement)}</p>",
        f"<p>{' '.join(_legend(placement.drivers))}</p>",
        f"<div class=steps>{''.join(_picture(placement))}</div>",
        "<h2>Steps</h2>",
        _table(
            ("step", "driver", "operations", "bytes in", "bytes out", "ms", "of these outside of the driver"),
            _steps(placement),
        ),
        "<h2>Borders</h2>",
        _table(
            ("operand", "from step", "to step", "bytes"),
            ((border.operand, border.writer, border.reader, _number(border.bytes)) for border in placement.borders),
        ),
        "<h2>Operations</h2>",
        _table(("operation", "type", "driver", "step", "why not others"), _operations(placement)),
    ]
    if placement.changes:
        parts += [
            "<h2>Changes that avoid borders</h2>",
            _table(("driver", "operation", "type", "at", "steps less"), _changes(placement)),
        ]
    if placement.assignments:
        rows = ((tried.name, tried.steps, _number(tried.milliseconds)) for tried in placement.assignments)
        parts += ["<h2>Assignments</h2>", _table(("assignment", "steps", "ms"), rows)]
    return "\n".join(parts) + "\n"


def _summary(placement: Placement) -> str:
    if placement.error:
        return escape(f"not measured: {placement.error}")
    return f"{len(placement.steps)} steps, {_number(placement.milliseconds)} ms, median of {placement.runs} runs"


def _legend(drivers: Sequence[str]) -> Iterable[str]:
    return (
        f'<span class=step style="background:{_colour(number)}">{number} {escape(name)}</span>'
        for number, name in enumerate(drivers)
    )


def _colour(device: int) -> str:
    return COLOURS[device % len(COLOURS)] if device >= 0 else "#777777"


def _picture(placement: Placement) -> Iterable[str]:
    for step in placement.steps:
        if step.index:
            yield f"<div class=border>&rarr;<br>{step.bytes_in} B</div>"
        names = [placement.operations[index].operation for index in step.operations[:_NAMED]]
        more = len(step.operations) - len(names)
        text = "<br>".join([*map(escape, names), *([f"and {more} more"] if more else [])])
        time = "" if step.milliseconds is None else f"<br>{step.milliseconds:.3f} ms"
        yield f'<div class=step style="background:{_colour(step.device)}"><b>{step.index}</b><br>{text}{time}</div>'


def _steps(placement: Placement) -> Iterable[tuple[object, ...]]:
    for step in placement.steps:
        times = _number(step.milliseconds), _number(step.handing_milliseconds)
        yield (step.index, _driver(placement, step), len(step.operations), step.bytes_in, step.bytes_out, *times)


def _driver(placement: Placement, step: PlacedStep) -> str:
    return f"{step.device} {placement.drivers[step.device]}" if step.device >= 0 else "interpreted"


def _operations(placement: Placement) -> Iterable[tuple[object, ...]]:
    for placed in placement.operations:
        reasons = "; ".join(f"{placement.drivers[number]}: {reason}" for number, reason in placed.refusals.items())
        yield f"{placed.index} {placed.operation}", placed.type, placed.device, placed.step, reasons


def _changes(placement: Placement) -> Iterable[tuple[object, ...]]:
    for change in placement.changes:
        yield (
            placement.drivers[change.device],
            change.operation,
            change.type,
            ", ".join(map(str, change.operations)),
            change.steps,
        )


def _table(titles: Sequence[str], rows: Iterable[tuple[object, ...]]) -> str:
    head = "".join(f"<th>{escape(title)}" for title in titles)
    body = "".join("<tr>" + "".join(map(_cell, row)) for row in rows)
    return f"<table><tr>{head}{body}</table>"


def _cell(value: object) -> str:
    return f"<td{' class=n' if isinstance(value, int) else ''}>{escape(str(value))}"


def _number(value: float | None) -> str:
    if value is None:
        return "unknown"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
