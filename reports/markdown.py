"""A short summary in Markdown, for merge requests and chat: verdict, faults and figures of one run.

:mod:`nnvet.reports.render` writes it as summary.md, :mod:`nnvet.reports.github` shows it on GitHub.
:mod:`nnvet.reports.console` says much the same on a terminal.
"""

import re
from typing import Final

from nnvet.reports.accuracy import positions_line, quality_line
from nnvet.reports.bench_lines import rule_lines, scenario_lines
from nnvet.reports.contrast import contrasts
from nnvet.reports.events import RunStarted
from nnvet.reports.evidence import replay_of
from nnvet.reports.facts import places_in_words
from nnvet.reports.figures import bench_table
from nnvet.reports.fingerprint import Fold, fold
from nnvet.reports.log import Log
from nnvet.reports.outcome import extent_of, failed_cases, judge
from nnvet.reports.values import one_line

FAILURES_SHOWN: Final = 10
"""Most faults in the summary."""
TEXT_LIMIT: Final = 160
"""Most characters of a text in a table."""


def render_markdown(log: Log) -> str:
    """Return outcome, extent, facts, counts, the most frequent faults (equal failures as one), and models."""
    judgement = judge(log)
    driver = log.started.driver
    lines = (*judgement.causes, *extent_of(log).sentences, quality_line(log), positions_line(log))
    parts = [
        f"# {_text(driver.name or driver.selector)}: {_text(judgement.headline, len(judgement.headline))}",
        "\n".join(f"- {_text(line)}" for line in lines if line),
        _facts(log),
        _table(("Verdict", "Cases"), [(verdict, f"{count:,}") for verdict, count in log.counts.items() if count]),
        _failures(log),
        _models(log),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(log: Log) -> str:
    run, driver = log.started, log.started.driver
    level = "" if driver.feature_level is None else f", feature level {driver.feature_level}"
    facts = (
        f"Driver {_code(driver.selector)}{', version ' + _text(driver.version) if driver.version else ''}{level}",
        f"Run of {_text(run.time)}, nnvet {_text(run.suite_version)},{_seed(run)} shard {_text(run.shard)}",
        f"Machine: {_text(run.machine.cpu or 'not known')}, {_text(run.machine.kernel or 'kernel not known')}",
    )
    return "\n".join(f"- {fact}" for fact in facts)


def _models(log: Log) -> str:
    heads, rows = bench_table(log.measurements)
    table = _table(heads, [tuple(map(_text, row)) for row in rows])
    lines = (*places_in_words(log.measurements), *scenario_lines(log.measurements), *rule_lines(log.measurements))
    return "\n\n".join(filter(None, (table, "\n".join(f"- {_text(line)}" for line in lines))))


def _failures(log: Log) -> str:
    faults = fold(failed_cases(log))
    if not faults:
        return ""
    heads = ("Cases", "Verdict", "Example", "Rule", "Reason", "Fingerprint")
    table = _table(heads, [_row(fault) for fault in faults[:FAILURES_SHOWN]])
    replays = [_code(replay_of(log.started, fault.example)) for fault in faults[:FAILURES_SHOWN]]
    parts = [table, "To run an example again:\n\n" + "\n".join(f"- {replay}" for replay in replays)]
    if common := contrasts(log)[:FAILURES_SHOWN]:
        parts.append("In common:\n\n" + "\n".join(f"- {_text(str(contrast))}" for contrast in common))
    hidden = sum(fault.count for fault in faults[FAILURES_SHOWN:])
    if hidden:
        parts.append(f"{hidden:,} more of {len(faults) - FAILURES_SHOWN:,} other kinds are in the report.")
    return "\n\n".join(parts)


def _row(fault: Fold) -> tuple[str, ...]:
    result = fault.example
    reason = _text(result.reason)
    return (
        f"{fault.count:,}",
        result.verdict,
        _code(result.case),
        _code(result.rule),
        reason,
        _code(fault.fingerprint),
    )


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = (heads, ("---",) * len(heads), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _text(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return ``text`` on one line, escaped for Markdown."""
    line = " ".join(text.split())
    line = line if len(line) <= limit else f"{line[:limit]}…"
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", line)


def _code(text: str) -> str:
    """Return ``text`` as code; within a table even code needs its bars escaped."""
    return f"`{one_line(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`" if text else ""


def _seed(run: RunStarted) -> str:
    return "" if run.seed is None else f" seed {run.seed},"
