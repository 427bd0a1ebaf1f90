"""Chapters of a page about cases that did not pass: failures, crashes, errors, waived, unsupported, not run.

:func:`build_sections` makes the chapters for ``page.py``; each has groups of cases that probably have the same cause,
with one case in full as the example. ``cases.py`` makes the table of all cases, to which a group leads.
:func:`draw` draws small models, for examples and for the reduced models of :func:`view_reductions`: a box for each
operation, its inputs above it, and a line for each input that another operation makes.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nnvet.reports.events import SOURCE, CaseFinished, LoggedReduction, ReducedOperation, RunStarted, Verdict
from nnvet.reports.evidence import (
    STRESS_LABEL,
    TIMELINE,
    again_of,
    native_stacks_of,
    replay_of,
    stated_in,
    without_stacks,
)
from nnvet.reports.fingerprint import key_of, most_telling
from nnvet.reports.html.error_picture import ErrorPictureView, view_picture
from nnvet.reports.html.matrix import row_of
from nnvet.reports.log import Log
from nnvet.reports.pictures import PICTURE
from nnvet.reports.values import json_safe, real_text

_ROW: Final = 17
"""Height of a line of text in pixels."""
_BOX: Final = 26
"""Height of the box of an operation in pixels."""
_GAP: Final = 30
"""Twice the distance in pixels between an operation with its outputs and the next one."""
_INDENT: Final = 22
"""Distance in pixels of boxes from the left edge; the lines between operations run in this margin."""
_LETTER: Final = 7.4
"""Width in pixels of a character of the page's monospaced type, from which widths of boxes are computed."""


@dataclass(frozen=True)
class Text:
    """A text with its position; ``kind`` is ``name`` of an operation, ``input`` or ``output``."""

    x: float
    y: float
    text: str
    kind: str


@dataclass(frozen=True)
class SmallGraph:
    """A picture in pixels: boxes (x, y, width, height), lines as SVG paths, and texts."""

    width: float
    height: float
    boxes: tuple[tuple[float, float, float, float], ...]
    lines: tuple[str, ...]
    texts: tuple[Text, ...]


@dataclass(frozen=True)
class ReductionView:
    """A failing model that the reducer made small, with its picture; None: the graph is too large for a picture."""

    reduction: LoggedReduction
    picture: SmallGraph | None

    @property
    def alike(self) -> int:
        """Return the number of further failures that the reduced one stands for."""
        return len(self.reduction.cases) - 1 + self.reduction.folded


def view_reductions(reductions: tuple[LoggedReduction, ...]) -> tuple[ReductionView, ...]:
    """Return views of all reductions, in the order of the log."""
    return tuple(
        ReductionView(reduction, draw(reduction.graph) if len(reduction.graph) <= _MOST else None)
        for reduction in reductions
    )


def reductions_by_fault(log: Log) -> Mapping[str, Sequence[LoggedReduction]]:
    """Return the reduced models of failures, by the fingerprint of the failure; failures without one are absent."""
    found: defaultdict[str, list[LoggedReduction]] = defaultdict(list)
    for reduction in log.reductions:
        for fault in dict.fromkeys(key_of(log.results[case]) for case in reduction.cases if case in log.results):
            found[fault].append(reduction)
    return found


def operations_of(reduction: LoggedReduction) -> str:
    """Return the names of the operations of a reduced graph, each once."""
    return ", ".join(dict.fromkeys(operation.name for operation in reduction.graph))


_MOST: Final = 8
"""Most operations of a graph that is drawn; a longer one is shown as text, because its lines would cross."""
_LINE: Final = re.compile(r"(?P<outputs>%.*?) = (?P<name>[^()%\s]+)\((?P<inputs>.*)\)")
"""A line of the graph in the evidence, which :func:`read_graph` describes."""
_OPERANDS: Final = re.compile(r", (?=%\d+ )")
"""The comma between two operands of such a line; the description of an operand may have commas, too."""


def draw(graph: tuple[ReducedOperation, ...]) -> SmallGraph:
    """Draw the operations below each other, in the order of execution."""
    boxes: list[tuple[float, float, float, float]] = []
    lines: list[str] = []
    texts: list[Text] = []
    made_at: list[float] = []
    top = 6.0
    for operation in graph:
        fed = [source for _, source in operation.inputs if source >= 0]
        for text, source in operation.inputs:
            if source < 0:
                texts.append(Text(_INDENT + 12, top + 12, text, "input"))
                top += _ROW
        top += 4
        for lane, source in enumerate(dict.fromkeys(fed)):
            x = _INDENT - 8 - 5 * lane
            lines.append(f"M{_INDENT} {made_at[source]}H{x}V{top + _BOX / 2}H{_INDENT}")
        boxes.append((_INDENT, top, 12 + _LETTER * len(operation.name), _BOX))
        texts.append(Text(_INDENT + 7, top + 17, operation.name, "name"))
        made_at.append(top + _BOX / 2)
        top += _BOX
        for text in operation.outputs:
            texts.append(Text(_INDENT + 12, top + 14, text, "output"))
            top += _ROW
        top += _GAP / 2
    width = max((text.x + _LETTER * len(text.text) for text in texts), default=0.0)
    return SmallGraph(width, top, tuple(boxes), tuple(lines), tuple(texts))


def read_graph(lines: object) -> tuple[ReducedOperation, ...]:
    """Read the graph of the evidence, whose lines look like ``%2 output … = ADD(%0 input …, %1 …)``.

    Return no operations if a line looks different: logs may come from other programs or versions.
    """
    graph: list[ReducedOperation] = []
    maker: dict[str, int] = {}
    for line in lines if isinstance(lines, list | tuple) else ():
        if (found := _LINE.fullmatch(str(line))) is None:
            return ()
        outputs, inputs = (_OPERANDS.split(part) if part else [] for part in (found["outputs"], found["inputs"]))
        sources = tuple((text, maker.get(text.partition(" ")[0], -1)) for text in inputs)
        maker |= {text.partition(" ")[0]: len(graph) for text in outputs}
        graph.append(ReducedOperation(found["name"], sources, tuple(outputs)))
    return tuple(graph)


CASES_SHOWN: Final = 1
"""Number of cases of a group that are shown in full as examples; the table of cases has the others."""

GROUPS_SHOWN: Final = 100
"""Most groups of a section, so that a driver that fails everywhere does not make the page too large."""

VALUE_LIMIT: Final = 2000
"""Number of characters after which a value of the evidence is cut; the log has it in full."""

_LAID_OUT: Final = ("sentence", "worst", "replay", "stderr_tail", "graph", "looks_like", PICTURE)
"""Keys of the evidence that the template shows at positions of their own; the others are listed as facts."""
_WORST: Final = {
    "output": "output",
    "index": "index",
    "expected": "expected",
    "actual": "actual",
    "difference": "difference",
    "tolerance": "tolerance",
    "tolerance_source": "tolerance from",
}
"""Titles of the columns of the table of the worst element, by key of the evidence, in order."""


@dataclass(frozen=True)
class CaseView:
    """A case with its evidence.

    ``worst`` is the wrong element with the largest error, as titles and values. ``facts`` are all parts of the evidence
    without a position of their own in the layout. ``small`` are the reduced models of the same fault: the fingerprint
    and the operations of each. ``picture`` shows the wrong elements, ``drawing`` the model, if it is small. ``again``
    is a mark and a sentence on how the case ended when it was run again; ``source`` is the path of its spec.
    """

    result: CaseFinished
    worst: tuple[tuple[str, str], ...]
    stderr_tail: str
    native_stacks: str
    graph: tuple[str, ...]
    replay: str
    facts: tuple[tuple[str, str], ...]
    small: tuple[tuple[str, str], ...] = ()
    picture: ErrorPictureView | None = None
    drawing: SmallGraph | None = None
    again: tuple[str, str] | None = None
    source: str = ""


@dataclass(frozen=True)
class Group:
    """Cases that probably have the same cause; ``total`` counts them, ``cases`` are the examples.

    ``rule`` and ``sentence`` are those of the first case, ``pages`` are the passages of the specification that state
    the rule, and ``filters`` selects all cases of the group in the table of cases.
    """

    rule: str
    pages: tuple[str, ...]
    operations: tuple[str, ...]
    filters: dict[str, str]
    sentence: str
    verdict: Verdict
    total: int
    cases: tuple[CaseView, ...]

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint, if the group is one fault; empty for groups of another kind."""
        return self.filters.get("fingerprint", "")

    @property
    def id(self) -> str:
        """Return the address of the group in the page: from its fingerprint, or from its verdict, rule and reason.

        The address is the same in every run, so that a link to it remains good.
        """
        return f"group-{self.fingerprint or hashlib.sha256(repr(self.filters).encode()).hexdigest()[:12]}"

    @property
    def hidden(self) -> int:
        """Return the number of cases that are only in the table of cases."""
        return self.total - len(self.cases)


@dataclass(frozen=True)
class Section:
    """A chapter of the report; if ``is_brief``, it lists case ids without evidence.

    ``hidden_groups`` counts the groups that are left out; ``filters`` selects the cases of all groups in the table.
    """

    id: str
    title: str
    lead: str
    total: int
    groups: tuple[Group, ...]
    is_brief: bool
    hidden_groups: int
    filters: dict[str, str]


def _by_fingerprint(result: CaseFinished) -> dict[str, str]:
    """Return the key of cases with the same fault: the fingerprint of :mod:`nnvet.reports.fingerprint`."""
    return {"fingerprint": key_of(result)}


def _by_reason(result: CaseFinished) -> dict[str, str]:
    """Return the key of cases with the same verdict, rule and reason, whatever their operations are."""
    return {"verdict": result.verdict, "rule": result.rule, "reason": result.reason}


@dataclass(frozen=True)
class _Plan:
    """A chapter before its cases are known: the verdicts that it is about, and the key that groups its cases."""

    id: str
    title: str
    lead: str
    verdicts: tuple[Verdict, ...]
    key: Callable[[CaseFinished], dict[str, str]]
    is_brief: bool = False


_PLANS: Final = (
    _Plan("failures", "Failures", "Rules that the driver broke, most cases first.", (Verdict.FAIL,), _by_fingerprint),
    _Plan(
        "crashes",
        "Crashes and hangs",
        "Cases in which the driver's process died or gave no answer in time.",
        (Verdict.CRASH, Verdict.HANG),
        _by_fingerprint,
    ),
    _Plan(
        "errors",
        "Errors of the suite",
        "Faults of the suite, not of the driver; the run says nothing about these cases.",
        (Verdict.ERROR,),
        _by_fingerprint,
    ),
    _Plan("waived", "Waived", "Known failures that a waiver excuses.", (Verdict.WAIVED,), _by_reason, is_brief=True),
    _Plan(
        "unsupported",
        "Unsupported",
        "What the driver does not offer, by reason. None of it counts as a pass.",
        (Verdict.UNSUPPORTED,),
        _by_reason,
        is_brief=True,
    ),
    _Plan("not-run", "Not run", "Selected cases without a result.", (Verdict.NOT_RUN,), _by_reason, is_brief=True),
)
"""All chapters in their order on the page; those without cases are left out."""


def build_sections(log: Log) -> tuple[Section, ...]:
    """Return the chapters that have cases."""
    small = reductions_by_fault(log)
    sections = (_build_section(plan, log, small) for plan in _PLANS)
    return tuple(section for section in sections if section.total)


def _build_section(plan: _Plan, log: Log, small: Mapping[str, Sequence[LoggedReduction]]) -> Section:
    groups: defaultdict[tuple[str, ...], list[CaseFinished]] = defaultdict(list)
    for result in log.results.values():
        if result.verdict in plan.verdicts:
            groups[tuple(plan.key(result).values())].append(result)
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    return Section(
        id=plan.id,
        title=plan.title,
        lead=plan.lead,
        total=sum(map(len, groups.values())),
        groups=tuple(_build_group(plan, members, log.started, small) for _, members in ordered[:GROUPS_SHOWN]),
        is_brief=plan.is_brief,
        hidden_groups=max(len(ordered) - GROUPS_SHOWN, 0),
        filters={"verdict": plan.verdicts[0]} if len(plan.verdicts) == 1 else {},
    )


def _build_group(
    plan: _Plan, members: list[CaseFinished], run: RunStarted, small: Mapping[str, Sequence[LoggedReduction]]
) -> Group:
    first, shown = members[0], most_telling(members)[:CASES_SHOWN]
    return Group(
        rule=first.rule,
        pages=stated_in(first),
        operations=tuple(sorted({row_of(result) for result in members} - {""})),
        filters=plan.key(first),
        sentence=str(first.evidence.get("waiver") or first.evidence.get("sentence") or first.reason),
        verdict=first.verdict,
        total=len(members),
        cases=tuple(view_case(result, run, small.get(key_of(result), ())) for result in shown),
    )


def view_case(result: CaseFinished, run: RunStarted, small: Sequence[LoggedReduction] = ()) -> CaseView:
    """Return the view of a case; evidence of an unexpected form, say of a plug-in, is listed among the facts."""
    evidence = result.evidence
    worst, graph = evidence.get("worst"), evidence.get("graph")
    is_laid_out, picture = isinstance(worst, dict), view_picture(evidence)
    facts = {
        key: value
        for key, value in without_chapters(result, without_stacks(evidence)).items()
        if key not in _LAID_OUT or (key == "worst" and not is_laid_out) or (key == PICTURE and picture is None)
    }
    return CaseView(
        result=result,
        worst=_list_worst(worst) if isinstance(worst, dict) else (),
        stderr_tail=str(evidence.get("stderr_tail") or ""),
        native_stacks=native_stacks_of(result),
        graph=tuple(map(str, graph)) if isinstance(graph, list | tuple) else (),
        replay=replay_of(run, result),
        facts=_show_pairs(facts.items()),
        small=tuple((reduction.fingerprint, operations_of(reduction)) for reduction in small),
        picture=picture,
        drawing=draw(drawn) if (drawn := read_graph(graph)) and len(drawn) <= _MOST else None,
        again=again_of(result) if again_of(result)[0] else None,
        source=str(result.labels.get(SOURCE) or ""),
    )


def without_chapters(result: CaseFinished, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evidence without the parts that other sections of the page show: accuracy, positions, stress tests."""
    apart = ("covers", "positions", *(["timings"] if STRESS_LABEL in result.labels else []))
    return {key: value for key, value in evidence.items() if key not in apart}


def _list_worst(worst: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    known = [(title, worst[key]) for key, title in _WORST.items() if key in worst]
    return _show_pairs([*known, *((key, value) for key, value in worst.items() if key not in _WORST)])


def _show_pairs(items: Iterable[tuple[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((key.replace("_", " "), show(value)) for key, value in items)


def show(value: object) -> str:
    """Return a value of the evidence as text of bounded length."""
    if isinstance(value, float):
        return real_text(value)
    if isinstance(value, dict) and TIMELINE in value:
        # A stress test's samples over time are drawn by reports/html/stress.py, and far too many to be listed.
        value = {key: item for key, item in value.items() if key != TIMELINE}
    text = value if isinstance(value, str) else json.dumps(json_safe(value), ensure_ascii=False)
    return text if len(text) <= VALUE_LIMIT else f"{text[:VALUE_LIMIT]}… ({len(text):,} characters)"
