"""A first look at a driver for ``nnvet smoke``: seven questions, each a few cases of the suite, within seconds.

:func:`answers` asks the questions in an order in which authors meet the problems: a later question means little before
the earlier ones are answered. :func:`advice_for` says what to do about a wrong answer, by its first failure or else by
the question. :mod:`nnvet.conformance.smoke_models` chooses the models. A whole run is
:mod:`nnvet.conformance.engine.runner`'s.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from nnvet.conformance.engine.driver import DriverLostError, DriverUnderTest, open_subject, run_on
from nnvet.conformance.engine.probing import probe_claims
from nnvet.conformance.engine.selection import BUNDLED_SPECS, spec_files
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.checks import Case, Check, checks
from nnvet.conformance.kit.outcome import Finished
from nnvet.conformance.smoke_models import SmokeModel, common_cause, is_decided, models_beside, smoke_models
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.specification import page_of
from nnvet.reports.events import Verdict
from nnvet.reports.fingerprint import AS_IF, telling_ranks

_NAMED: Final = 6
"""Most operations that a note names."""
_AT_LEAST: Final = 8
"""Fewest models that are judged, whatever the time."""
_TRIED_AT_MOST: Final = 24
"""Models that are tried whatever the time, if the driver does not support most of them."""
_FILES_TRIED: Final = 3
"""Most spec files that are tried until the driver supports one."""
_WRONG_MODELS: Final = ("TestValidation/Model", "TestValidation/Execution")
"""Checks whose usual cases refuse wrong models and requests."""


@dataclass(frozen=True)
class Question:
    """A step: the question as a heading, and the advice for a wrong answer."""

    title: str
    advice: str


START: Final = Question(
    "starts and describes itself", "name, version, feature level and capabilities have to be lawful"
)
"""First question; findings of the start answer it."""
BASIC: Final = Question("answers what every driver is asked", "docs/contract/hal.md says what each call returns")
"""Question answered by the suite BasicTest."""
CLAIMS: Final = Question(
    "supports something",
    "nothing is claimed: answer True for what can run (getSupportedOperations; supports() of BaseDevice)",
)
"""Question answered by what the driver claims."""
REFUSALS: Final = Question(
    "refuses wrong models and requests", "validate before you compile: docs/writing-a-driver.md, validating yourself"
)
"""Question answered by wrong models and requests."""
WAYS: Final = Question(
    "executes in every way", "all executors have to end in the same results, status and shapes: docs/contract/hal.md"
)
"""Question answered by a spec with all executors."""
END: Final = Question("ends well", "nothing may fail when the client has gone: destructors, threads, locks")
"""Last question, which is shown only if something is wrong."""
LEAKS: Final = Question(
    "gives back what it takes",
    "free at the end of an execution what it has allocated: buffers, histories and caches that never end",
)
"""Question answered by a repeated small sum."""
RESULTS: Final = Question("computes right", "docs/contract/operations/ has a page for each operation")
"""Question answered by random models of single operations."""


@dataclass
class Asked:
    """The answer to a question: cases that ended, a ``note`` of what was found, or why it was not asked.

    ``about`` has the operation and type of cases whose ids have them as numbers, ``common`` says what the failing cases
    have in common.
    """

    question: Question
    ended: list[Finished] = field(default_factory=list)
    note: str = ""
    not_asked: str = ""
    about: dict[str, str] = field(default_factory=dict)
    common: str = ""

    @property
    def failed(self) -> list[Finished]:
        """Return the cases that are neither PASS nor UNSUPPORTED."""
        return [
            finished for finished in self.ended if finished.outcome.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED)
        ]

    @property
    def ranked_failures(self) -> list[Finished]:
        """Return the cases that failed, with those first whose error is described best."""
        failed = self.failed
        ranks = telling_ranks([finished.outcome.evidence for finished in failed])
        return [failed[place] for place in sorted(range(len(failed)), key=ranks.__getitem__)]

    @property
    def refusal(self) -> str:
        """Return the driver's words beside its answer that it does not support a model; empty if there are none."""
        reasons = (
            finished.outcome.reason for finished in self.ended if finished.outcome.verdict is Verdict.UNSUPPORTED
        )
        return next((why for reason in reasons if (why := reason.partition(": ")[2])), "")

    @property
    def passed(self) -> int:
        """Return the number of cases that passed."""
        return sum(finished.outcome.verdict is Verdict.PASS for finished in self.ended)

    @property
    def is_wrong(self) -> bool:
        """Return True if a case failed, or nothing speaks for the driver where something has to."""
        return bool(self.failed) or not (self.passed or self.note or self.not_asked)


def answers(target: Target, seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[Asked]:
    """Yield the answer to each question as soon as it is known; there are no more once the driver is lost.

    What remains of ``seconds`` by ``clock`` after the first questions goes into results.

    :raises SelectorError: there is no such driver.
    """
    until = clock() + seconds
    asked = Asked(START)
    try:
        with open_subject(target) as subject:
            asked.ended += subject.findings
            asked.note = f"{subject.facts.name}, feature level {subject.feature_level}"
            yield asked
            asking = _Asking(subject, lambda: clock() < until)
            for question, ask in _STEPS.items():
                asked = Asked(question)
                if asking.has_lost:
                    asked.not_asked = "the driver has to be alive first"
                else:
                    ask(asking, asked)
                yield asked
            asked = Asked(END)
            asked.ended += [event for event in subject.part() if isinstance(event, Finished)]
            if asked.ended and not asking.has_lost:
                yield asked
    except DriverLostError as lost:
        asked.ended.append(lost.finding)
        yield asked


@dataclass
class _Asking:
    """The state of the questions: driver under test, whether it died, time left, and its claims."""

    subject: DriverUnderTest
    has_time: Callable[[], bool]
    claimed: dict[OperationType, list[OperandType]] = field(default_factory=dict)
    has_lost: bool = False
    is_right: bool = True

    def run(self, answer: Asked, cases: Iterable[Case], *, goes_on: bool = False) -> None:
        """Run cases as they are made; a case that costs the driver's process is the last.

        With ``goes_on``, only a hang is the last.
        """
        for event in run_on(self.subject, cases):
            if isinstance(event, Finished):
                answer.ended.append(event)
                if event.outcome.verdict in (Verdict.CRASH, Verdict.HANG):
                    self.has_lost = True
                    if event.outcome.verdict is Verdict.HANG or not goes_on:
                        return

    def can_go_on(self, failed: Finished) -> bool:
        """Return True if a driver is available after a failure; after a hang, further cases would only take time."""
        if not self.has_lost:
            return True
        if failed.outcome.verdict is not Verdict.CRASH or not self.subject.process_id:
            return False
        self.subject.revive()
        return True


def _ask_basic(asking: _Asking, answer: Asked) -> None:
    """Run the suite BasicTest."""
    asking.run(answer, (case for check in _checks_of("BasicTest") for case in check.cases()))


def _ask_refusals(asking: _Asking, answer: Asked) -> None:
    """Run the usual cases of wrong models and requests."""
    asking.run(answer, (case for name in _WRONG_MODELS for case in checks()[name].cases() if case.usual))
    if not answer.failed and not answer.passed:
        answer.not_asked = "it supports none of the models from which wrong ones are made"


def _ask_claims(asking: _Asking, answer: Asked) -> None:
    """Ask for the support of each operation and type, and note what is supported."""
    found = probe_claims(asking.subject, GraphOptions(level=asking.subject.feature_level))
    for kind, operations in found.claimed.items():
        for operation in operations:
            asking.claimed.setdefault(operation, []).append(kind)
    names = sorted(operation.name for operation in asking.claimed)
    if not names:
        # Why not, if it is a fault: a valid model is refused by an error, or an exception.
        asking.run(answer, [checks()["TestTrivialModel/AddTwo"].case_of("sync")])
        return
    every = len(frozenset().union(*found.asked.values()))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    answer.note = f"{len(names)} of {every} operations of its level: {', '.join(names[:_NAMED])}{more}"


def _ask_executors(asking: _Asking, answer: Asked) -> None:
    """Run the first bundled spec that the driver supports by all executors."""
    names = tuple(operation.name.replace("_", "").lower() for operation in asking.claimed)
    files = (
        spec_file for spec_file in spec_files([BUNDLED_SPECS]) if spec_file.stem.replace("_", "").startswith(names)
    )
    for file in islice(files, _FILES_TRIED):
        name, loaded = next(iter(file.named()))
        over = [
            check for check in _checks_of("GeneratedTest") if check.over is not None and check.over(loaded.spec.outline)
        ]
        tried = Asked(answer.question)
        asking.run(tried, (check.case_over(name, loaded.spec) for check in over))
        if tried.passed or tried.failed:
            answer.ended += tried.ended
            return
    answer.not_asked = "no bundled spec of what it claims runs" if names else _NOTHING


def _ask_results(asking: _Asking, answer: Asked) -> None:
    """Run random models of one operation, of each operation in turn, judged by error bounds; at least eight models."""
    if not asking.claimed:
        answer.not_asked = _NOTHING
        return
    level, models = asking.subject.feature_level, dict[str, SmokeModel]()

    def is_refused(model: SmokeModel) -> bool:
        last = answer.ended[-1]
        return models[last.case] is model and last.outcome.verdict is Verdict.UNSUPPORTED

    def timely() -> Iterator[Case]:
        for number, model in enumerate(smoke_models(asking.claimed, level, is_refused)):
            judged = answer.passed + len(answer.failed)
            if (judged >= _AT_LEAST or number >= _TRIED_AT_MOST) and not asking.has_time():
                return
            yield _make_case(model, models)

    asking.run(answer, timely())
    answer.about |= {case: model.about for case, model in models.items()}
    asking.is_right = not answer.failed
    if answer.failed and asking.can_go_on(answer.failed[-1]):
        _compare_with_passing(asking, answer, models)
    judged = {models[end.case].operation for end in answer.ended if end.outcome.verdict is not Verdict.UNSUPPORTED}
    if answer.passed and not answer.failed and len(judged) < len(asking.claimed):
        answer.note = f"{len(judged)} of {len(asking.claimed)} operations in this time (--seconds grants more)"


def _compare_with_passing(asking: _Asking, answer: Asked, models: dict[str, SmokeModel]) -> None:
    """Compare the last failing model with further models of its operation and type."""
    failed = models[answer.failed[-1].case]
    beside = Asked(answer.question, [end for end in answer.ended if models[end.case].operation == failed.operation])

    def undecided() -> Iterator[Case]:
        for model in models_beside(failed, asking.subject.feature_level):
            if is_decided(beside.ended):
                return
            yield _make_case(model, models)

    asking.run(beside, undecided(), goes_on=True)
    answer.common = common_cause(beside.ended, models)


def _make_case(model: SmokeModel, models: dict[str, SmokeModel]) -> Case:
    """Return the case of a model, which is noted by the case's id."""
    case = checks()["RandomModels/Bounds"].case_of(model.argument)
    models[case.id] = model
    return case


def _ask_leaks(asking: _Asking, answer: Asked) -> None:
    """Measure memory, descriptors and threads over some hundred executions of a small sum."""
    if not asking.subject.process_id:
        answer.not_asked = "the driver has no process of its own whose memory could be counted"
    elif not asking.is_right:
        answer.not_asked = "its results have to be right first"
    elif OperandType.TENSOR_FLOAT32 not in asking.claimed.get(OperationType.ADD, ()):
        answer.not_asked = "it does not claim the small sum that would be repeated: ADD of TENSOR_FLOAT32"
    else:
        asking.run(answer, [checks()["LeakTest/Soak"].case_of("executions")])


def _checks_of(suite: str) -> list[Check]:
    """Return the checks of a suite."""
    return [check for check in checks().values() if check.suite == suite]


_NOTHING: Final = "it claims nothing that could be executed"
"""Reason of a question that needs an operation."""

_STEPS: Final[Mapping[Question, Callable[[_Asking, Asked], None]]] = {
    BASIC: _ask_basic,
    CLAIMS: _ask_claims,
    RESULTS: _ask_results,
    WAYS: _ask_executors,
    REFUSALS: _ask_refusals,
    LEAKS: _ask_leaks,
}
"""Functions that answer the questions, in the order in which they are asked."""


_DEBUGGER: Final = "the replay command with --in-process runs it in a debugger"
"""End of advice about a fault at a known place."""

_NOT_TAKEN: Final = (
    "the accelerator takes nothing: look at its library, options and log; what it leaves to CPU kernels is no work of "
    "its own (with fallback=cpu the whole stack is tested)"
)
"""Advice for adapters of accelerators that leave everything to a CPU."""

_ADVICE: Final[Mapping[str, Callable[[Finished], bool]]] = {
    f"mend the line that is named; {_DEBUGGER}": (
        lambda failed: any(failed.outcome.evidence.get(key) for key in ("raised", "place"))
    ),
    "no call may take that long: an endless loop, or a lock that nobody gives back? --timeout grants more seconds": (
        lambda failed: failed.outcome.rule == "driver/hang"
    ),
    "its last output and stacks say where it died: docs/debugging-native-drivers.md": (
        lambda failed: failed.outcome.rule == "driver/crash"
    ),
    f"it claimed this model: mend what refuses to run it, or claim less (supports() of BaseDevice); {_DEBUGGER}": (
        lambda failed: failed.outcome.rule in ("execution/status", "prepare/supported")
    ),
    "refuse it with INVALID_ARGUMENT; check_model() of BaseDevice does so, unless you override it "
    "(docs/writing-a-driver.md, validating yourself)": lambda failed: (failed.outcome.rule or "").startswith("model/"),
}
"""Advice with the failures to which it applies; the first that fits is given."""


def advice_for(answer: Asked) -> str:
    """Return advice about a wrong answer."""
    for failure in answer.ranked_failures[:1]:
        for advice, fits in _ADVICE.items():
            if fits(failure):
                return advice
        if about := answer.about.get(failure.case):
            page = page_of(about.partition(" ")[0])
            if str(failure.outcome.evidence.get("looks_like", "")).startswith(AS_IF):
                return f"look where the driver reads that; {page} says what it means"
            return f"{page} says what it computes: compare order of inputs, activation, precision and rounding"
    if answer.refusal:
        return _NOT_TAKEN
    return answer.question.advice
