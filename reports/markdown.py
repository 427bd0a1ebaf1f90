"""A short summary in Markdown, for merge requests and chat."""

import re
from typing import Final

from nnvet.reports.events import CaseFinished
from nnvet.reports.log import Log
from nnvet.reports.outcome import failed_cases, judge

FAILURES_SHOWN: Final = 10
TEXT_LIMIT: Final = 160


def render_markdown(log: Log) -> str:
    """Outcome, facts, counts and the first failures."""
    judgement = judge(log)
    driver = log.started.driver
    parts = [
        f"# {_text(driver.name or driver.selector)}: {judgement.outcome}",
        "\n".join(f"- {_text(cause)}" for cause in judgement.causes),
        _facts(log),
        _table(("Verdict", "Cases"), [(verdict, f"{count:,}") for verdict, count in log.counts.items() if count]),
        _failures(log),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(log: Log) -> str:
    run, driver = log.started, log.started.driver
    level = "" if driver.feature_level is None else f", feature level {driver.feature_level}"
    facts = (
        f"Driver {_code(driver.selector)}{', version ' + _text(driver.version) if driver.version else ''}{level}",
        f"Run of {_text(run.time)}, nnvet {_text(run.suite_version)}, seed {run.seed}, shard {_text(run.shard)}",
        f"Machine: {_text(run.machine.cpu or 'not known')}, {_text(run.machine.kernel or 'kernel not known')}",
    )
    return "\n".join(f"- {fact}" for fact in facts)


def _failures(log: Log) -> str:
    failed = failed_cases(log)
    if not failed:
        return ""
    table = _table(("Verdict", "Case", "Rule", "Reason"), [_row(result) for result in failed[:FAILURES_SHOWN]])
    hidden = len(failed) - FAILURES_SHOWN
    return f"{table}\n\n{hidden:,} more are in the report." if hidden > 0 else table


def _row(result: CaseFinished) -> tuple[str, ...]:
    return (result.verdict, _code(result.case), _code(result.rule), _text(result.reason))


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = (heads, ("---",) * len(heads), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _text(text: str) -> str:
    """``text`` on one line that Markdown shows as it is."""
    line = " ".join(text.split())
    line = line if len(line) <= TEXT_LIMIT else f"{line[:TEXT_LIMIT]}…"
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", line)


def _code(text: str) -> str:
    """``text`` as code; a table needs its bars escaped even there."""
    return f"`{text.replace('`', chr(39)).replace('|', chr(92) + '|')}`" if text else ""
