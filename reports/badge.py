"""A badge: the verdict of a run as a small picture for a README, in the usual form of badges."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

from nnvet.reports.log import Log
from nnvet.reports.outcome import RunOutcome, judge
from nnvet.reports.values import one_line

_LABEL: Final = "nnvet"
_CHARACTER: Final = 6.6
"""The average width of a character in pixels; the SVG stretches texts to the computed width."""
_PADDING: Final = 12
_LONGEST: Final = 60
_COLOURS: Final = {
    RunOutcome.CONFORMANT: "#2a7a2a",
    RunOutcome.NO_FAULT: "#2a7a2a",
    RunOutcome.NOT_CONFORMANT: "#b3261e",
    RunOutcome.INCOMPLETE: "#8a5a00",
    RunOutcome.MEASURED: "#4a5568",
}
"""Dark enough for white letters, by the contrast of 4.5 that WCAG demands."""


def render_badge(log: Log) -> str:
    """Return the badge of a run as SVG."""
    judgement = judge(log)
    text = one_line(judgement.brief)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    left, right = (_CHARACTER * len(part) + _PADDING for part in (_LABEL, text))
    title = escape(f"{_LABEL}: {text}")
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="20" role="img">
<title>{title}</title>
<rect width="{left:.0f}" height="20" fill="#33383d"/>
<rect x="{left:.0f}" width="{right:.0f}" height="20" fill="{_COLOURS[judgement.outcome]}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
{_placed(_LABEL, 0, left)}
{_placed(text, left, right)}
</g>
</svg>
"""


def _placed(text: str, x: float, width: float) -> str:
    """Return a text in the middle of its part, stretched to the computed width in any font."""
    length = width - _PADDING
    return f'<text x="{x + _PADDING / 2:.1f}" y="14" textLength="{length:.1f}">{escape(text)}</text>'
