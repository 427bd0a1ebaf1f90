"""Judge of mutants of the machine code (``reference_driver/fused``), by models prepared for sustained speed.

:func:`against_preferences` is the judge for ``__main__.py``. Only such preparations execute machine code. The usual
cases of PreferenceTest/Results have to find a mutant; further cases and specs only show whether the mutant changes any
bit of an answer.

Kernels and machine code add floats in different orders. So if a mutant leaves operations to their kernels, its answer
is compared with that of the original driver when it leaves the same operations to the kernels.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice, product
from types import ModuleType
from typing import Any, Final, NamedTuple

from nnvet.conformance.engine.driver import DriverUnderTest
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.kit.bounded import with_outputs
from nnvet.conformance.kit.checks import checks
from nnvet.conformance.kit.executing import basic_config, run_test
from nnvet.conformance.kit.outcome import CaseFailed
from nnvet.conformance.kit.preparing import built_model, prepare_valid
from nnvet.conformance.suites.quality_of_service.preferences import KINDS, NETWORKS, PreferenceCase
from nnvet.generators.specs import find_specs, load_spec
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import ExecutionPreference, OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.types import PrepareModelConfig
from nnvet.reference_driver.fused.program import STEPS
from nnvet.transport.wire.failures import DriverGone
from tools.mutants.mutant import Mutant
from tools.mutants.reach import Reach
from tools.mutants.sessions import HIGHEST, SwitchedOffError, UnchangedError, is_right, open_session, open_session_of

_CHECK: Final = "PreferenceTest/Results"
"""The check that has to find mutants."""
_SEEDS: Final = 48
"""Number of seeds for each kind of network; other kinds of models get a third."""
_SPECS: Final = 2
"""Most cases of each spec file."""
# Types for which there is machine code, and the modules of the driver that are looked into.
_TYPES: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)
_DRIVER: Final = "nnvet.reference_driver.device"
_FUSED: Final = "nnvet.reference_driver.fused"
_COMPILED: Final = ("machine", "sums", "tiles", "table")
"""Modules from which machine code is compiled; all others only fill the table that the machine code executes."""
_TIMEOUT_S: Final = 3600.0
"""Seconds for a call: long, because a late answer would count as a different one. ``running.py`` ends what hangs."""

Plan = tuple[tuple[tuple[int, ...], ...], ...]
"""Groups of operations that machine code executed together, each operation by its outputs."""
Find = Callable[[Any, Any], Sequence[Any]]
"""Function that groups the operations of a subgraph, in place of the driver's own."""


class _Answer(NamedTuple):
    """Status and bits of an execution (or the error that prevents it), and the groups executed by machine code."""

    bits: object
    plan: Plan


class _Driver:
    """The driver whose modules are imported in this process; it records which operations machine code executes."""

    def __init__(self) -> None:
        """Wrap the function of the driver that executes machine code."""
        self.program = importlib.import_module(f"{_FUSED}.program")
        self.device = importlib.import_module(_DRIVER)
        self.create = partial(self.device.create, "")
        self._runs: list[tuple[tuple[int, ...], ...]] = []
        self._fuse = self.device.fuse
        run: Any = self.program.Run
        execute = run.execute

        def record(made: Any, live: Any, checkpoint: Any) -> Any:
            if made.operations:
                self._runs.append(tuple(operation.operation.outputs for operation in made.operations))
            return execute(made, live, checkpoint)

        run.execute = record

    def answer(self, opened: DriverUnderTest, test: TestModel, config: PrepareModelConfig) -> _Answer:
        """Execute a model and return the answer."""
        opened.begin_case()
        self._runs.clear()
        bits: object
        try:
            with built_model(test, HIGHEST) as model:
                prepared = prepare_valid(opened, model, config)
                last = run_test(prepared, test, basic_config(opened), opened.device, opened.timeout_s)[-1]
            bits = last.status, [output.tobytes() for output in last.outputs]
        except (CaseFailed, HalError, DriverGone) as error:
            bits = str(error)
        return _Answer(bits, tuple(self._runs))

    def join(self, find: Find | None = None) -> None:
        """Let machine code execute single operations, too; ``find`` may group the operations."""
        program = vars(self.program)
        program["_SHORTEST"] = 1
        if find is not None:
            program["_find"] = find

        def fuse(compiled: Any, config: PrepareModelConfig) -> None:
            loop = self.program.load()
            if loop is not None and config.preference == ExecutionPreference.SUSTAINED_SPEED:
                compiled.main.fused = self.program.Fusion(loop)

        vars(self.device)["fuse"] = fuse

    def as_usual(self) -> None:
        """Undo :meth:`join`."""
        vars(self.program)["_SHORTEST"] = 2
        vars(self.device)["fuse"] = self._fuse


class _Question(NamedTuple):
    """A model to execute; ``case`` is None for a spec, of which machine code executes single operations, too."""

    name: str
    case: PreferenceCase | None
    test: TestModel
    config: PrepareModelConfig
    is_usual: bool


@cache
def _load_original() -> tuple[_Driver, ModuleType]:
    """Return the original driver, and the module with its machine code, which is compiled here and not kept on disk."""
    sys.modules.pop(f"{_FUSED}.machine", None)
    _keep_nothing()
    driver = _Driver()
    driver.program.load()
    return driver, sys.modules[f"{_FUSED}.machine"]


def _keep_nothing() -> None:
    """Let machine code be compiled without the cache on disk, which has the original's code and must keep it."""
    compiling = importlib.import_module(f"{_FUSED}.compiling")
    vars(compiling)["compile_cached"] = compiling.compile_inline


@cache
def _list_questions() -> list[_Question]:
    """Return the usual cases, then the others, then specs."""
    usual, check = list[_Question](), checks()[_CHECK]
    others = list[_Question]()
    for seed, kind in product(range(_SEEDS), KINDS):
        if kind in NETWORKS or seed < _SEEDS // 3:
            case = PreferenceCase(ExecutionPreference.SUSTAINED_SPEED, kind, seed)
            is_usual = check.is_usual(case)
            test, config = with_outputs(case.make()), case.config(HIGHEST)
            (usual if is_usual else others).append(_Question(case.name, case, test, config, is_usual))
    return [*usual, *others, *_list_spec_questions()]


def _list_spec_questions() -> Iterator[_Question]:
    """Yield specs of operations for which there is machine code."""
    config = PrepareModelConfig(preference=ExecutionPreference.SUSTAINED_SPEED)
    for path in find_specs(BUNDLED_SPECS):
        fit = (case for case in load_spec(path) if not case.expect_failure)
        for case in islice(fit, _SPECS):
            test = case.build()
            kinds = {test.main.operands[operation.inputs[0]].type for operation in test.main.operations}
            if kinds <= set(_TYPES) and any(operation.type in STEPS for operation in test.main.operations):
                yield _Question(case.name, None, with_outputs(test), config, is_usual=False)


@cache
def load_original_answers() -> list[tuple[_Question, _Answer]]:
    """Return the original's answers to the usual cases, and to all others that machine code answers.

    To be called before processes are forked, so that all of them have the answers.
    """
    driver, _ = _load_original()
    with open_session_of(driver.create, _TIMEOUT_S) as opened:
        answers = [(question, _ask(driver, opened, question)) for question in _list_questions()]
    return [(question, answer) for question, answer in answers if question.is_usual or answer.plan]


def _ask(driver: _Driver, opened: DriverUnderTest, question: _Question) -> _Answer:
    if question.case is None:
        driver.join()
    try:
        return driver.answer(opened, question.test, question.config)
    finally:
        driver.as_usual()


def against_preferences(_reach: Reach, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    """Yield the models, each with False if a usual case finds the mutant wrong; compilation counts as the first case.

    :raises SwitchedOffError: the mutant groups other operations, or none, and is right otherwise.
    :raises UnchangedError: all bits of all answers are those of the original.
    """
    known, (original, machine), check = load_original_answers(), _load_original(), checks()[_CHECK]
    is_other = is_off = False
    with open_session(mutant, timeout_s=_TIMEOUT_S) as opened, open_session_of(original.create, _TIMEOUT_S) as beside:
        if mutant.family not in _COMPILED:
            sys.modules[f"{_FUSED}.machine"] = machine
        _keep_nothing()
        driver = _Driver()
        if driver.program.load() is None:
            raise SwitchedOffError("no machine code")
        yield "compilation", True
        for question, answer in known:
            given = _ask(driver, opened, question)
            is_alike = given.bits == answer.bits
            if given.plan != answer.plan:
                is_off = True
                is_alike = is_alike or given.bits == _ask_by_plan(original, beside, question, given.plan)
            is_other |= not is_alike
            is_judged = question.is_usual and not is_alike and question.case is not None
            yield (
                question.name,
                not is_judged or is_right(opened, check, check.case_of(question.name), question.case),
            )
    if not is_other:
        raise SwitchedOffError if is_off else UnchangedError


def _ask_by_plan(original: _Driver, opened: DriverUnderTest, question: _Question, plan: Plan) -> object:
    """Return the bits of the original's answer when it groups the operations by ``plan``; None if it cannot."""
    program = vars(original.program)
    usual = program["_find"]
    original.join(partial(_group_by_plan, program["_Making"], plan))
    try:
        found = original.answer(opened, question.test, question.config)
    finally:
        program["_find"] = usual
        original.as_usual()
    # Models are executed once or twice.
    return found.bits if set(found.plan) == set(plan) else None


def _group_by_plan(making: Any, plan: Plan, subgraph: Any, loop: Any) -> Sequence[Any]:
    """Group the operations by a plan, in place of the driver's own choice."""
    runs = {run[0]: run for run in plan}
    parts, position = list[Any](), 0
    while position < len(subgraph.operations):
        operation = subgraph.operations[position]
        run = runs.get(operation.operation.outputs, ())
        made = making(subgraph, position)
        taken = subgraph.operations[position : position + len(run)]
        if run and all(making.takes(made, step) for step in taken if hasattr(step, "kernel")):
            parts += made.done(loop)
            position += len(run)
        else:
            parts.append(operation)
            position += 1
    return parts
