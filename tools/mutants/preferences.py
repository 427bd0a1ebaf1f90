"""Mutants of the machine code for runs of operations, against models that are prepared for sustained speed.

Only such preparations come to that code. Judged are the cases of PreferenceTest/Results that a mutant answers otherwise
than the original does, to the bit.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from types import ModuleType
from typing import Final

from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.kit.bounded import with_outputs
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.executing import basic_config, run_test
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.suites.quality_of_service.preferences import PreferenceCase, read_argument
from nnvet.hal.enums import ExecutionPreference
from nnvet.hal.errors import HalError
from nnvet.transport.wire.failures import DriverGone
from tools.mutants.mutant import Mutant
from tools.mutants.reach import Reach
from tools.mutants.sessions import HIGHEST, StillbornError, UnchangedError, is_right, session, session_of

_CHECK: Final = "PreferenceTest/Results"
_KINDS: Final = ("images", "dense", "cells")
"""Kinds of models of which the bundled driver puts operations together."""
_SEEDS: Final = 60
"""Of each kind; a usual run has the first twelve."""
_FUSED: Final = "nnvet.reference_driver.fused"
_COMPILED: Final = ("machine", "sums", "tiles", "table")
"""Modules that the machine code is compiled from; all others only fill the table that it works off."""
_TIMEOUT_S: Final = 3600.0
"""Of a call. Answers are compared to the bit, and one that is late is another; what hangs, the process's limit ends."""


@cache
def _original() -> ModuleType:
    """Return the module with the original's machine code, which is compiled here and nowhere kept."""
    sys.modules.pop(f"{_FUSED}.machine", None)
    _keep_nothing()
    importlib.import_module(f"{_FUSED}.program").load()
    return sys.modules[f"{_FUSED}.machine"]


def _keep_nothing() -> None:
    """Have machine code compiled anew: what the disk has is the original's, and must remain so."""
    compiling = importlib.import_module(f"{_FUSED}.compiling")
    vars(compiling)["kept"] = compiling.jitted


@cache
def original_answers() -> dict[str, object]:
    """Return the original's answers by case; asked before processes are forked, they all have them."""
    _original()
    create = importlib.import_module("nnvet.reference_driver.device").create
    with session_of(partial(create, ""), _TIMEOUT_S) as opened:
        return {case.name: _answer(opened, case) for case in _cases()}


def _cases() -> Iterator[PreferenceCase]:
    for seed, kind in product(range(_SEEDS), _KINDS):
        yield PreferenceCase(ExecutionPreference.SUSTAINED_SPEED, kind, seed)


def against_preferences(_reach: Reach, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    """Yield the models that the mutant answers otherwise; how long it is compiled counts as a case.

    :raises StillbornError: it cannot be compiled; a driver does without it then.
    :raises UnchangedError: no bit of an answer is another one than the original's.
    """
    check, known, is_other = checks()[_CHECK], original_answers(), False
    with session(mutant, timeout_s=_TIMEOUT_S) as opened:
        if mutant.family not in _COMPILED:
            sys.modules[f"{_FUSED}.machine"] = _original()
        _keep_nothing()
        if importlib.import_module(f"{_FUSED}.program").load() is None:
            raise StillbornError("no machine code")
        yield "compilation", True
        for name, answer in known.items():
            case = read_argument(name)
            assert case is not None  # noqa: S101 - they are made above
            if _answer(opened, case) == answer:
                yield name, True
                continue
            is_other = True
            yield name, is_right(opened, check, check.case_of(name), case)
    if not is_other:
        raise UnchangedError


def _answer(opened: DriverUnderTest, case: PreferenceCase) -> object:
    """Status and bits of an execution, or how it comes to none."""
    opened.begin_case()
    test = with_outputs(_model(case))
    try:
        with built_model(test, HIGHEST) as model:
            prepared = prepare_valid(opened, model, case.config(HIGHEST))
            last = run_test(prepared, test, basic_config(opened), opened.device, opened.timeout_s)[-1]
    except (CaseFailed, HalError, DriverGone) as error:
        return str(error)
    return last.status, [output.tobytes() for output in last.outputs]


_model = cache(PreferenceCase.make)
