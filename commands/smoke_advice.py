"""Advice of ``nnvet smoke``: by the first failure, else by the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from nnvet.conformance.engine.driver import Finished
from nnvet.conformance.smoke import Asked
from nnvet.hal.specification import page_of

_DEBUGGER: Final = "the replay command with --in-process runs it in a debugger"

_NOT_TAKEN: Final = (
    "the accelerator takes nothing: look at its library, options and log; what it leaves to CPU kernels is no work of "
    "its own (with fallback=cpu the whole stack is tested)"
)

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
    "refuse it with INVALID_ARGUMENT; check_model() of BaseDevice does so, unless you override it "
    "(docs/writing-a-driver.md, validating yourself)": lambda failed: (failed.outcome.rule or "").startswith("model/"),
}
"""Advice, and the failures that it is for; the first that fits is given."""


def advice_for(answer: Asked) -> str:
    """Return advice about a wrong answer."""
    for failure in answer.failed[:1]:
        for advice, fits in _ADVICE.items():
            if fits(failure):
                return advice
        if about := answer.about.get(failure.case):
            page = page_of(about.partition(" ")[0])
            return f"{page} says what it computes: compare order of inputs, activation, precision and rounding"
    if answer.refusal:
        return _NOT_TAKEN
    return answer.question.advice
