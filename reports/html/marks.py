"""Signs of verdicts, and texts of numbers with units, for pages, terminals and summaries.

:func:`milliseconds`, :func:`duration`, :func:`size` and :func:`factor_text` are used by all modules of
``reports/html``, by the filters of the templates (``environment.py``), and by ``reports/figures.py`` and
``bench_lines.py``. Every verdict has a sign besides its colour, because not everybody sees colours.
"""

import math
import re
from typing import Final

from nnvet.reports.events import Verdict

DASH: Final = "–"  # noqa: RUF001 - the typographer's sign for nothing
"""Text of a cell without a value."""
TIMES: Final = "×"  # noqa: RUF001 - the multiplication sign is meant
"""Unit of factors, such as speeds."""

SIGNS: Final = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✕",
    Verdict.HANG: "∞",
    Verdict.CRASH: "†",
    Verdict.ERROR: "!",
    Verdict.NOT_RUN: "○",
    Verdict.UNSUPPORTED: DASH,
    Verdict.WAIVED: "~",
}
"""Signs that stand beside the colours of verdicts."""

_FACTOR_DECIMALS: Final = ((100.0, 0), (10.0, 1), (0.0995, 2))
"""Least value and number of decimals of a factor; the first pair that applies counts. Smaller ones have two digits."""
_DECIMALS: Final = ((1000.0, 0), (100.0, 1), (1.0, 2), (0.1, 3))
"""Least value and number of decimals of milliseconds, likewise; smaller values have four decimals."""


def milliseconds(seconds: float) -> str:
    """Return a latency in ms, with about four significant digits."""
    value = seconds * 1e3
    decimals = next((digits for least, digits in _DECIMALS if value >= least), 4)
    return f"{value:,.{decimals}f} ms"


def factor_text(factor: float | None) -> str:
    """Return a factor with two or three digits and the sign of multiplication; a dash for None."""
    if factor is None:
        return DASH
    decimals = next((digits for least, digits in _FACTOR_DECIMALS if factor >= least), None)
    return f"{factor:.2g}{TIMES}" if decimals is None else f"{factor:,.{decimals}f}{TIMES}"


def duration(seconds: float) -> str:
    """Return a span of time in the unit that suits it: ``3.20 ms``, ``4.1 s``, ``2 min 5 s`` or ``1 h 7 min``."""
    if seconds < 1:
        return milliseconds(seconds)
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def size(count: int) -> str:
    """Return a number of bytes in binary units."""
    if count < 1024:  # noqa: PLR2004 - the unit's definition
        return f"{count} B"
    power = min(int(math.log2(count) / 10), 4)
    return f"{count / 1024**power:.1f} {'KMGT'[power - 1]}iB"


def css_class(name: str) -> str:
    """Return a verdict or outcome as the name of a CSS class."""
    return name.lower().replace("_", "-").replace(" ", "-")


def place(model: str) -> str:
    """Return the address of a model's row within a page, for links that lead there."""
    return "model-" + re.sub(r"[^\w.-]", "_", model)
