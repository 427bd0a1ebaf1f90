"""The Jinja environment that renders all templates of pages, in ``reports/templates``.

:func:`environment` is called by the modules that make a whole page: ``page``, ``diff``, ``history`` and ``scoreboard``
beside this module, and those of ``nnvet locate`` and ``nnvet partition``. It gives the templates filters for numbers
and addresses, the signs of :mod:`nnvet.reports.html.marks`, sizes of charts, and the common style and script.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from nnvet.reports.addresses import beside, site_address, source_address
from nnvet.reports.events import MEANINGS, Verdict
from nnvet.reports.html import marks, stress
from nnvet.reports.html.axes import HEIGHT, STRIP, WIDTH
from nnvet.reports.html.matrix import CELL, error_shades
from nnvet.reports.html.measuring import CONDITION_HEADS
from nnvet.reports.html.performance import KINDS
from nnvet.reports.html.timeline import LANE
from nnvet.reports.html.timeline import WIDTH as TIMELINE_WIDTH
from nnvet.reports.outcome import RunOutcome
from nnvet.reports.values import json_safe

if TYPE_CHECKING:
    import jinja2

TEMPLATES: Final = Path(__file__).parents[1] / "templates"
"""Folder of the templates, of ``report.css`` and of ``report.js``."""
OUTCOME_SIGNS: Final = {
    RunOutcome.CONFORMANT: "✓",
    RunOutcome.NO_FAULT: "○",
    RunOutcome.NOT_CONFORMANT: "✕",
    RunOutcome.INCOMPLETE: "?",
    RunOutcome.MEASURED: "·",
}
"""Signs of outcomes of runs; those of verdicts are in :data:`nnvet.reports.html.marks.SIGNS`."""


@cache
def environment() -> "jinja2.Environment":
    """Return the Jinja environment, with the filters and the style that all templates share."""
    import jinja2  # noqa: PLC0415 - workers, which make no page, load this module too

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "beside": beside,
        "css": marks.css_class,
        "duration": marks.duration,
        "ms": marks.milliseconds,
        "site_address": site_address,
        "source_address": source_address,
        "size": marks.size,
        "place": marks.place,
        "shades": error_shades,
        "query": lambda wanted: urlencode({key: str(value) for key, value in wanted.items() if value}),
        "json": lambda value: msgspec.json.encode(json_safe(value)).decode(),
    }
    environment.globals |= {
        "Verdict": Verdict,
        "meanings": MEANINGS,
        "signs": marks.SIGNS,
        "outcome_signs": OUTCOME_SIGNS,
        "kinds": KINDS,
        "condition_heads": CONDITION_HEADS,
        "chart_width": WIDTH,
        "chart_height": HEIGHT,
        "strip_height": STRIP,
        "cell_size": CELL,
        "timeline_width": TIMELINE_WIDTH,
        "lane_height": LANE,
        "stress_width": stress.WIDTH,
        "stress_height": stress.HEIGHT,
        "style": Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        "script": Markup((TEMPLATES / "report.js").read_text(encoding="utf-8")),  # noqa: S704 - our own file
    }
    return environment
