"""The page of ``nnvet partition --html``: a picture of the steps, coloured by device, and what borders cost."""

from __future__ import annotations

from typing import Final

from nnvet.adapters.split.placement import Placement
from nnvet.reports.html.environment import environment

COLOURS: Final = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""Colours of the devices by number, reused after six; people who cannot tell red from green can tell them apart."""
_NAMED: Final = 4
"""Operations of a step that are named in the picture."""


def placement_page(placement: Placement) -> str:
    """Return the page, in HTML."""
    template = environment().get_template("partition.html.j2")
    return template.render(placement=placement, colours=COLOURS, named=_NAMED, answer=_answer(placement))


def _answer(placement: Placement) -> str:
    """Return in a sentence how long the model takes in steps, and on each driver alone."""
    count = len(placement.steps)
    steps = f"{count:,} {'step' if count == 1 else 'steps'}"
    if placement.milliseconds is None:
        return f"It runs in {steps}, which were not measured: {placement.error or 'no reason is known'}."
    alone = [_alone(*driver) for driver in zip(placement.drivers, placement.whole_milliseconds, strict=True)]
    taken = f"{placement.milliseconds:.3f} ms, the median of {placement.runs:,} runs"
    fastest = next((assignment for assignment in placement.assignments if assignment.milliseconds is not None), None)
    if fastest:
        alone.append(f"of the assignments tried, '{fastest.name}' is the fastest with {fastest.milliseconds:.3f} ms")
    return f"It runs in {steps} and takes {taken}; {'; '.join(alone)}."


def _alone(driver: str, milliseconds: float | None) -> str:
    if milliseconds is None:
        return f"{driver} does not take all of it"
    return f"{driver} alone takes {milliseconds:.3f} ms"
