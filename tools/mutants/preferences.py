"""Mutants of the machine code for runs of operations, against models that are prepared for sustained speed.

Only such preparations come to that code. The usual cases of PreferenceTest/Results have to find a mutant; further cases
and specs say whether it answers anything otherwise than the original does, to the bit.

Kernels and machine code add floats in other orders. So a mutant that leaves operations to their kernels is compared
with the original that leaves the same operations to them.
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
from tools.mutants.sessions import HIGHEST, SwitchedOffError, UnchangedError, is_right, session, session_of

_CHECK: Final = "PreferenceTest/Results"
_SEEDS: Final = 48
"""Of each kind of network; of the others a third."""
_SPECS: Final = 2
"""Cases of each spec file and operation that is put together with others, at most."""
_TYPES: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED)
_DRIVER: Final = "nnvet.reference_driver.device"
_FUSED: Final = "nnvet.reference_driver.fused"
_COMPILED: Final = ("machine", "sums", "tiles", "table")
"""Modules that the machine code is compiled from; all others only fill the table that it works off."""
_TIMEOUT_S: Final = 3600.0
"""Of a call. Answers are compared to the bit, and one that is late is another; what hangs, the process's limit ends."""

Plan = tuple[tuple[tuple[int, ...], ...], ...]
"""Runs of machine code in an execution: each operation by its outputs."""
Find = Callable[[Any, Any], Sequence[Any]]


class _Answer(NamedTuple):
    """Status and bits of an execution, or how it comes to none, and the operations that were put together."""

    bits: object
    plan: Plan


class _Driver:
    """A driver in this process whose runs of machine code are noted."""

    def __init__(self) -> None:
        """Take the one whose modules are imported."""
        self.program = importlib.import_module(f"{_FUSED}.program")
        self.device = importlib.import_module(_DRIVER)
        self.create = partial(self.device.create, "")
        self._runs: list[tuple[tuple[int, ...], ...]] = []
        self._fuse = self.device.fuse
        run: Any = self.program.Run
        execute = run.execute

        def noted(made: Any, live: Any, checkpoint: Any) -> Any:
            if made.operations:
                self._runs.append(tuple(operation.operation.outputs for operation in made.operations))
            return execute(made, live, checkpoint)

        run.execute = noted

    def answer(self, opened: DriverUnderTest, test: TestModel, config: PrepareModelConfig) -> _Answer:
        """Execute a model."""
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
        """Have single operations executed by machine code, too; ``find`` decides which."""
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
        """Have operations executed as clients have them."""
        vars(self.program)["_SHORTEST"] = 2
        vars(self.device)["fuse"] = self._fuse


class _Question(NamedTuple):
    """A model to execute; ``case`` is None for a spec, whose single operations are executed by machine code."""

    name: str
    case: PreferenceCase | None
    test: TestModel
    config: PrepareModelConfig
    is_usual: bool


@cache
def _original() -> tuple[_Driver, ModuleType]:
    """The original, and the module with its machine code, which is compiled here and nowhere kept."""
    sys.modules.pop(f"{_FUSED}.machine", None)
    _keep_nothing()
    driver = _Driver()
    driver.program.load()
    return driver, sys.modules[f"{_FUSED}.machine"]


def _keep_nothing() -> None:
    """Have machine code compiled anew: what the disk has is the original's, and must remain so."""
    compiling = importlib.import_module(f"{_FUSED}.compiling")
    vars(compiling)["compile_cached"] = compiling.compile_inline


@cache
def _questions() -> list[_Question]:
    """The usual cases first, then the others."""
    usual, check = list[_Question](), checks()[_CHECK]
    others = list[_Question]()
    for seed, kind in product(range(_SEEDS), KINDS):
        if kind in NETWORKS or seed < _SEEDS // 3:
            case = PreferenceCase(ExecutionPreference.SUSTAINED_SPEED, kind, seed)
            is_usual = check.is_usual(case)
            test, config = with_outputs(case.make()), case.config(HIGHEST)
            (usual if is_usual else others).append(_Question(case.name, case, test, config, is_usual))
    return [*usual, *others, *_of_specs()]


def _of_specs() -> Iterator[_Question]:
    """Specs of operations that can be put together with others."""
    config = PrepareModelConfig(preference=ExecutionPreference.SUSTAINED_SPEED)
    for path in find_specs(BUNDLED_SPECS):
        fit = (case for case in load_spec(path) if not case.expect_failure)
        for case in islice(fit, _SPECS):
            test = case.build()
            kinds = {test.main.operands[operation.inputs[0]].type for operation in test.main.operations}
            if kinds <= set(_TYPES) and any(operation.type in STEPS for operation in test.main.operations):
                yield _Question(case.name, None, with_outputs(test), config, is_usual=False)


@cache
def original_answers() -> list[tuple[_Question, _Answer]]:
    """The original's answers to the usual cases and to all that machine code answers.

    They are asked before processes are forked, so that all have them.
    """
    driver, _ = _original()
    with session_of(driver.create, _TIMEOUT_S) as opened:
        answers = [(question, _asked(driver, opened, question)) for question in _questions()]
    return [(question, answer) for question, answer in answers if question.is_usual or answer.plan]


def _asked(driver: _Driver, opened: DriverUnderTest, question: _Question) -> _Answer:
    if question.case is None:
        driver.join()
    try:
        return driver.answer(opened, question.test, question.config)
    finally:
        driver.as_usual()


def against_preferences(_reach: Reach, mutant: Mutant) -> Iterator[tuple[str, bool]]:
    """Yield the models that the mutant answers otherwise; how long it is compiled counts as a case.

    :raises SwitchedOffError: it puts other operations together, or none, and is right otherwise.
    :raises UnchangedError: no bit of an answer is another one than the original's.
    """
    known, (original, machine), check = original_answers(), _original(), checks()[_CHECK]
    is_other = is_off = False
    with session(mutant, timeout_s=_TIMEOUT_S) as opened, session_of(original.create, _TIMEOUT_S) as beside:
        if mutant.family not in _COMPILED:
            sys.modules[f"{_FUSED}.machine"] = machine
        _keep_nothing()
        driver = _Driver()
        if driver.program.load() is None:
            raise SwitchedOffError("no machine code")
        yield "compilation", True
        for question, answer in known:
            given = _asked(driver, opened, question)
            is_alike = given.bits == answer.bits
            if given.plan != answer.plan:
                is_off = True
                is_alike = is_alike or given.bits == _replanned(original, beside, question, given.plan)
            is_other |= not is_alike
            is_judged = question.is_usual and not is_alike and question.case is not None
            yield (
                question.name,
                not is_judged or is_right(opened, check, check.case_of(question.name), question.case),
            )
    if not is_other:
        raise SwitchedOffError if is_off else UnchangedError


def _replanned(original: _Driver, opened: DriverUnderTest, question: _Question, plan: Plan) -> object:
    """The bits of the original that puts the same operations together; None if it would not do that."""
    program = vars(original.program)
    usual = program["_find"]
    original.join(partial(_find, program["_Making"], plan))
    try:
        found = original.answer(opened, question.test, question.config)
    finally:
        program["_find"] = usual
        original.as_usual()
    # Models are executed once or twice.
    return found.bits if set(found.plan) == set(plan) else None


def _find(making: Any, plan: Plan, subgraph: Any, loop: Any) -> Sequence[Any]:
    """Put the operations of a plan together, in place of what the driver would."""
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
