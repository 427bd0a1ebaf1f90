"""The tables of ``docs/findings.md``, and the lists of findings on the pages of runtimes, from their folders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs.parts import with_part
from nnvet.reports.findings import FindingStatus, RuntimeFinding, read_findings
from nnvet.reports.releases import SIGNS, read_matrix

DOCS: Final = Path(__file__).parent
FOLDER: Final = DOCS / "findings"
RECORDED: Final = "versions.json"
"""Result of ``nnvet versions --out``, kept beside the findings of a runtime."""
RUNTIMES: Final = {
    "litert": "LiteRT",
    "onnxruntime": "ONNX Runtime",
    "torch": "PyTorch",
    "qnn": "Qualcomm's HTP",
    "webgpu": "ONNX Runtime's WebGPU",
}
_ISSUE: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/(?:issues|pull)/(\d+)")


def findings_page() -> str:
    """The page on findings, with fresh tables."""
    page = (DOCS / "findings.md").read_text(encoding="utf-8")
    page = with_part(page, "findings", "\n".join(_counts()))
    for runtime in RUNTIMES:
        page = with_part(page, f"findings of {runtime}", "\n".join(_table(runtime)))
        page = with_part(page, f"releases of {runtime}", "\n".join(_releases(runtime)))
    return page


def with_findings(page: str, runtime: str) -> str:
    """The page on a runtime, with a fresh list of what was found."""
    return with_part(page, "findings", "\n".join(_list(runtime)))


def _counts() -> Iterator[str]:
    yield f"| Runtime | {' | '.join(FindingStatus)} | all |"
    yield "|---" * (len(FindingStatus) + 2) + "|"
    total: Counter[FindingStatus] = Counter()
    for runtime, name in RUNTIMES.items():
        found = Counter(finding.status for finding in read_findings(FOLDER, runtime))
        total += found
        yield _count_row(name, found)
    yield _count_row("all", total)


def _count_row(name: str, found: Counter[FindingStatus]) -> str:
    return f"| {name} | {' | '.join(str(found[status]) for status in FindingStatus)} | {found.total()} |"


def _table(runtime: str) -> Iterator[str]:
    """A row for each finding: new ones first, the rest by status."""
    yield "| Finding | Status | Model | Result | Due | Where exactly, and by which kernel | What promises it |"
    yield "|---|---|---|---|---|---|---|"
    order = list(FindingStatus)
    for finding in sorted(read_findings(FOLDER, runtime), key=lambda found: (order.index(found.status), found.name)):
        place = f"findings/{runtime}/{finding.name}/repro.py"
        features = f"; needs {', '.join(finding.features)}" if finding.features else ""
        note = f" {finding.note}" if finding.note else ""
        cells = (
            f"[`{finding.name}`]({place}): {finding.title}",
            _standing(finding),
            finding.model,
            finding.result,
            finding.due,
            f"{finding.threshold}. {finding.kernel}{features}.{note}",
            _promise(finding),
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _promise(finding: RuntimeFinding) -> str:
    if finding.promise is None:
        return "nothing that is documented"
    return f'"{finding.promise.quote}" [↗]({finding.promise.address})'


def _standing(finding: RuntimeFinding) -> str:
    upstream = [_named(address) for address in finding.upstream]
    related = [_named(address) for address in finding.related]
    return "; ".join(
        (f"{finding.standing}, {finding.weight}", *upstream, *([f"beside it {', '.join(related)}"] if related else []))
    )


def _named(address: str) -> str:
    issue = _ISSUE.fullmatch(address)
    return f"[{issue[1]}#{issue[2]}]({address})" if issue else f"[{address.rpartition('/')[2]}]({address})"


def _releases(runtime: str) -> Iterator[str]:
    """The recorded matrix of a runtime."""
    matrix = read_matrix(FOLDER / runtime / RECORDED)
    words = ", ".join(f"{SIGNS[outcome]} {outcome}" for outcome in matrix.outcomes)
    yield f"{matrix.package}, recorded on {matrix.date} on {matrix.processor}: {words}."
    for column in matrix.columns:
        if column.failure:
            yield f"{column.version} was not installed: {column.failure}."
    yield ""
    yield f"| Finding | {' | '.join(column.version for column in matrix.columns)} | Change |"
    yield "|---" * (len(matrix.columns) + 2) + "|"
    for row in matrix.rows:
        signs = (SIGNS[matrix.cell(row, column).outcome] for column in matrix.columns)
        yield f"| `{row.name}` | {' | '.join(signs)} | {matrix.change(row)} |"


def _list(runtime: str) -> Iterator[str]:
    found = read_findings(FOLDER, runtime)
    yield f"{len(found)} findings, with reproducers, promises and thresholds in [findings.md](findings.md):"
    yield ""
    for status in FindingStatus:
        names = [f"`{finding.name}`" for finding in found if finding.status is status]
        if names:
            yield f"- {status}: {', '.join(names)}"
