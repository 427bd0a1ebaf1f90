"""The harness ``library``: calls of the C API in any order, judged by a model of the states.

All calls of an input form one sequence (:mod:`nnvet.adapters.nnapi.sequences`), made in the process that has loaded the
library. The expected answers are those of docs/contract/c-api.md 1.4; calls that this page leaves open are not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from nnvet.adapters.drivers import ProcessDriver
from nnvet.adapters.nnapi.declarations import ResultCode, result_name
from nnvet.adapters.nnapi.sequence_process import start
from nnvet.adapters.nnapi.sequences import POKE, CallSequence, CallStep, New, Raw, SequenceEnd, WritablePlace, Written
from nnvet.adapters.selector import parse_selector
from nnvet.conformance.engine.target import Target, open_target
from nnvet.conformance.suites.c_api import vocabulary
from nnvet.conformance.suites.c_api.checks import KINDS, LibraryCaller, own_caller
from nnvet.conformance.suites.c_api.vocabulary import BAD_DATA, BAD_STATE, BASES, NULL, OK, REUSABLE_LEVEL, Base, call
from nnvet.fuzz.counters import MARKS
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.harness import Harness, NothingToFuzzError, OneInput, Seed
from nnvet.fuzz.steps import StepForm
from nnvet.fuzz.target import finding_of_death
from nnvet.generators.random_graphs.chooser import PlainBytes
from nnvet.transport.wire.failures import DriverGone

FORM: Final = StepForm(size=4, most=64)
_LEAST_LEVEL: Final = 3
"""The first level at which a client names devices, and waits for executions."""
_MOST: Final = 3
"""At most so many objects of a kind exist at a time."""
_FAR: Final = 99
"""An index without an operand."""
_LAST_BYTE: Final = 255
Pick = Callable[[int], int]
"""A function that chooses a number below the given one."""


@dataclass(eq=False)
class ModelState:
    """A model; ``stage`` counts its completed parts: operands, operation, inputs and outputs, end."""

    name: str
    stage: int = 0


@dataclass(eq=False)
class CompilationState:
    """A compilation of a model."""

    name: str
    model: ModelState
    is_finished: bool = False


@dataclass(eq=False)
class ExecutionState:
    """An execution; ``given`` are the arguments that are set, out of two inputs and an output."""

    name: str
    compilation: CompilationState
    given: set[int] = field(default_factory=set)
    is_started: bool = False
    is_reusable: bool = False


@dataclass(eq=False)
class BurstState:
    """A burst of a compilation."""

    name: str
    compilation: CompilationState


_FINISHED: Final = 4
"""Stage of a finished model."""
_ARGUMENTS: Final = 3
"""Number of arguments of an execution."""
_OUTPUT: Final = 2
"""Number of the output among the arguments; 0 and 1 are the inputs."""
_RIGHT: Final = 2
"""The choice of a right argument; the choices below it are mistakes."""


class LibraryClient:
    """A client with its objects. Each method is a step, which adds calls with their expected results to ``calls``.

    A step that is impossible in the present state adds no call.
    """

    def __init__(self, base: Base, level: int) -> None:
        """Start without objects; ``base`` is the addition of which all models are made."""
        self._base = base
        self._level = level
        self._count = 0
        self.calls: list[CallStep] = []
        self.models: list[ModelState] = []
        self.compilations: list[CompilationState] = []
        self.executions: list[ExecutionState] = []
        self.bursts: list[BurstState] = []
        self.events: list[str] = []

    def counts(self) -> list[int]:
        """Return the number of objects of each kind."""
        return [len(kind) for kind in (self.models, self.compilations, self.executions, self.bursts, self.events)]

    def _call(self, function: str, *arguments: object, codes: tuple[int, ...] = OK, **more: object) -> None:
        self.calls.append(call(function, *arguments, codes=codes, **more))  # type: ignore[arg-type] # as tables have them

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def create_model(self, _: Pick) -> None:
        """Begin a model."""
        if len(self.models) < _MOST:
            self.models.append(ModelState(self._name("model")))
            self._call("Model_create", New(self.models[-1].name))

    def build_model(self, pick: Pick) -> None:
        """Add the next part of a model; a finished model has to refuse every part."""
        if not self.models:
            return
        model = self.models[pick(len(self.models))]
        name, begin = model.name, vocabulary.complete_model(self._base, model.name)[1:]
        parts = begin[:-2], begin[-2:-1], begin[-1:], (call("Model_finish", name),)
        if model.stage < _FINISHED:
            self.calls += parts[model.stage]
            model.stage += 1
        else:
            step = [prepared for part in parts for prepared in part][pick(len(begin) + 1)]
            self.calls.append(replace(step, codes=BAD_STATE, rule="c_api/state"))

    def misuse_model(self, pick: Pick) -> None:
        """Pass null pointers, and indexes without an operand."""
        self._call("Model_finish", None, codes=NULL)
        if self.models:
            model = self.models[pick(len(self.models))]
            self._call("Model_addOperand", model.name, None, codes=NULL)
            if model.stage < _FINISHED:
                self._call("Model_setOperandValue", model.name, _FAR, bytes(4), 4, codes=BAD_DATA)

    def create_compilation(self, pick: Pick) -> None:
        """Begin a compilation; the model may be unfinished."""
        if not self.models or len(self.compilations) == _MOST:
            return
        model, name = self.models[pick(len(self.models))], self._name("compilation")
        is_right = model.stage == _FINISHED
        devices = vocabulary.DEVICES
        codes = OK if is_right else BAD_STATE
        self._call("Compilation_createForDevices", model.name, devices, 1, New(name), codes=codes)
        if is_right:
            self.compilations.append(CompilationState(name, model))

    def set_option(self, pick: Pick) -> None:
        """Set preference or priority of a compilation to a right or a wrong value."""
        if not self.compilations:
            return
        compilation = self.compilations[pick(len(self.compilations))]
        function, right, wrong = (("setPreference", 1, 3), ("setPriority", 90, 91))[pick(2)]
        is_wrong = pick(2) == 1 and not compilation.is_finished
        codes = BAD_STATE if compilation.is_finished else (BAD_DATA if is_wrong else OK)
        self._call(f"Compilation_{function}", compilation.name, wrong if is_wrong else right, codes=codes)

    def finish_compilation(self, pick: Pick) -> None:
        """Finish a compilation, perhaps for the second time."""
        if self.compilations:
            compilation = self.compilations[pick(len(self.compilations))]
            self._call("Compilation_finish", compilation.name, codes=BAD_STATE if compilation.is_finished else OK)
            compilation.is_finished = True

    def create_execution(self, pick: Pick) -> None:
        """Begin an execution; the compilation may be unfinished."""
        if self.compilations and len(self.executions) < _MOST:
            compilation, name = self.compilations[pick(len(self.compilations))], self._name("execution")
            self._call(
                "Execution_create", compilation.name, New(name), codes=OK if compilation.is_finished else BAD_STATE
            )
            if compilation.is_finished:
                self.executions.append(ExecutionState(name, compilation))

    def create_burst(self, pick: Pick) -> None:
        """Open a burst; the compilation may be unfinished."""
        if self.compilations and len(self.bursts) < _MOST:
            compilation, name = self.compilations[pick(len(self.compilations))], self._name("burst")
            self._call("Burst_create", compilation.name, New(name), codes=OK if compilation.is_finished else BAD_STATE)
            if compilation.is_finished:
                self.bursts.append(BurstState(name, compilation))

    def set_argument(self, pick: Pick) -> None:
        """Set an input or the output; perhaps a second time, too late, with a wrong length, or at a wrong index."""
        if not self.executions:
            return
        execution, number, wrong = self.executions[pick(len(self.executions))], pick(_ARGUMENTS), pick(8)
        is_late = execution.is_started or number in execution.given
        step = vocabulary.set_arguments(self._base, execution.name, f"{execution.name}-result")[number]
        arguments, codes = list(step.arguments), OK
        if is_late:
            codes = BAD_STATE
        elif wrong == 0:
            arguments[1], codes = _FAR, BAD_DATA
        elif wrong == 1:
            arguments[-1], codes = self._base.size - 1, BAD_DATA
        else:
            execution.given.add(number)
        if number == _OUTPUT and codes != OK:
            # Only the right call names the buffer, so that wrong ones do not use it up.
            arguments[3] = WritablePlace(self._name("unused"), "uint8_t", self._base.size)
        self._call(step.function, *arguments, codes=codes)

    def make_reusable(self, pick: Pick) -> None:
        """Make an execution reusable, perhaps too late."""
        if self.executions and self._level >= REUSABLE_LEVEL:
            execution = self.executions[pick(len(self.executions))]
            self._call("Execution_setReusable", execution.name, True, codes=BAD_STATE if execution.is_started else OK)
            execution.is_reusable = execution.is_reusable or not execution.is_started

    def run(self, pick: Pick) -> None:
        """Compute, launch, or run in a burst; the execution may be ready, used up, or incomplete."""
        if not self.executions:
            return
        execution = self.executions[pick(len(self.executions))]
        if execution.is_started and not execution.is_reusable:
            self._call("Execution_compute", execution.name, codes=BAD_STATE)
        elif len(execution.given) < _ARGUMENTS:
            self._call("Execution_compute", execution.name, codes=BAD_DATA)
            # The contract counts an incomplete execution as completed by the call, and leaves later calls open.
            self.executions.remove(execution)
        else:
            self._run_right(execution, pick)

    def _run_right(self, execution: ExecutionState, pick: Pick) -> None:
        place = f"{execution.name}-result"
        right = (Written(place, tuple(self._base.total)),)
        self._call(POKE, place, Raw(bytes(self._base.size)))
        bursts = [burst.name for burst in self.bursts if burst.compilation is execution.compilation]
        mode = pick(3)
        if mode == 1 and len(self.events) < _MOST:
            self.events.append(self._name("event"))
            self._call("Execution_startCompute", execution.name, New(self.events[-1]))
            self._call("Event_wait", self.events[-1], written=right)
        elif mode == 2 and bursts:  # noqa: PLR2004 - the last of the ways
            self._call("Execution_burstCompute", execution.name, bursts[pick(len(bursts))], written=right)
        else:
            self._call("Execution_compute", execution.name, written=right)
        execution.is_started = True

    def ask_shape(self, pick: Pick) -> None:
        """Ask for the rank of the output, perhaps too early, or of an output that does not exist."""
        if not self.executions:
            return
        execution, rank = self.executions[pick(len(self.executions))], self._name("rank")
        index = _FAR if execution.is_started and pick(2) else 0
        codes = (BAD_DATA if index else OK) if execution.is_started else BAD_STATE
        written = (Written(rank, (1,)),) if codes == OK else ()
        place = WritablePlace(rank, "uint32_t")
        self._call("Execution_getOutputOperandRank", execution.name, index, place, codes=codes, written=written)

    def wait_again(self, pick: Pick) -> None:
        """Wait for an event that has ended, or for nothing."""
        if self.events and pick(4):
            self._call("Event_wait", self.events[pick(len(self.events))])
        else:
            self._call("Event_wait", None, codes=NULL)

    def free(self, pick: Pick) -> None:
        """Free an object on which no other one depends."""
        users = [*(user.compilation for user in self.executions), *(user.compilation for user in self.bursts)]
        kinds: tuple[tuple[str, list[Any], list[Any]], ...] = (
            ("Model", self.models, [user.model for user in self.compilations]),
            ("Compilation", self.compilations, users),
            ("Execution", self.executions, []),
            ("Burst", self.bursts, []),
            ("Event", self.events, []),
        )
        kind, owned, needed = kinds[pick(len(kinds))]
        if free := [candidate for candidate in owned if candidate not in needed]:
            gone = free[pick(len(free))]
            owned.remove(gone)
            self.calls.append(vocabulary.free(gone if isinstance(gone, str) else gone.name, kind))


STEPS: Final[tuple[Callable[[LibraryClient, Pick], None], ...]] = (
    LibraryClient.create_model,
    *(LibraryClient.build_model,) * 4,
    LibraryClient.misuse_model,
    LibraryClient.create_compilation,
    LibraryClient.set_option,
    *(LibraryClient.finish_compilation,) * 2,
    *(LibraryClient.create_execution,) * 2,
    LibraryClient.create_burst,
    *(LibraryClient.set_argument,) * 4,
    LibraryClient.make_reusable,
    *(LibraryClient.run,) * 3,
    LibraryClient.ask_shape,
    LibraryClient.wait_again,
    LibraryClient.free,
)
"""All steps. Steps that others depend on are listed several times."""


def sequence_of(data: bytes, base: Base, level: int) -> CallSequence:
    """Return the calls that an input stands for."""
    client, before = LibraryClient(base, level), 0
    for source in FORM.sources(data)[1]:
        number = source.ConsumeIntInRange(0, _LAST_BYTE) % len(STEPS)
        MARKS.mark(0, before, number)
        MARKS.mark(1, number, *(min(2, count) for count in client.counts()))
        STEPS[number](client, partial(_below, source))
        before = number
    return CallSequence(tuple(client.calls))


def _below(source: PlainBytes, count: int) -> int:
    return source.ConsumeIntInRange(0, count - 1)


class LibraryInput:
    """Runs the inputs of the harness on a library, in a process that is restarted when it dies."""

    def __init__(self, opens: Callable[[], LibraryCaller]) -> None:
        """Load the library.

        :raises NothingToFuzzError: no device of the library adds two vectors.
        """
        self._opens = opens
        self._caller = opens()
        library = self._caller.library
        if library.level < _LEAST_LEVEL or not library.devices:
            raise NothingToFuzzError("the library has no devices that a client can name")
        found = next((base for base in BASES if self._supports(base)), None)
        if found is None:
            raise NothingToFuzzError("the device supports no ADD of two vectors")
        self._base = found

    def _supports(self, base: Base) -> bool:
        asked = vocabulary.ask_for_support(base)
        return self._caller.perform(CallSequence(asked)).step == len(asked)

    def __call__(self, data: bytes) -> None:
        """Make all calls of an input.

        :raises FuzzFinding: a call has another result than the expected one, or the library dies.
        """
        sequence = sequence_of(data, self._base, self._caller.library.level)
        if not sequence.steps:
            return
        try:
            end = self._caller.perform(sequence)
        except DriverGone as gone:
            self._caller = self._opens()
            raise finding_of_death(gone) from gone
        if end.step < len(sequence.steps) and not end.missing:
            raise _finding(sequence, end)


def _finding(sequence: CallSequence, end: SequenceEnd) -> FuzzFinding:
    step = sequence.steps[end.step]
    wanted = " or ".join(map(result_name, step.codes))
    given = " and ".join("nothing" if result is None else result_name(result) for result in end.results)
    kind = FindingKind.WRONG
    if not end.differs and step.codes == OK:
        kind = FindingKind.REFUSED
    elif not end.differs and int(ResultCode.NO_ERROR) in end.results:
        kind = FindingKind.ACCEPTED
    reason = f"{step.function} gives {given}" + (f", and {end.differs}" if end.differs else f", must be {wanted}")
    calls = [step.function for step in sequence.steps[: end.step + 1]]
    return FuzzFinding(kind, step.rule or "c_api/accepted", reason, {"calls": calls}, f"{step.function} after {wanted}")


@contextmanager
def open_library(target: Target) -> Iterator[OneInput]:
    """Load the library of the driver under test for as long as the block runs.

    :raises NothingToFuzzError: the driver is not a library, or supports no addition.
    :raises SelectorError: the library cannot be loaded.
    """
    selector = parse_selector(target.selector)
    if selector.kind.name not in KINDS:
        raise NothingToFuzzError(f"'{target.selector}' is no library of the C API; {' and '.join(KINDS)} are")
    with ExitStack() as stack:
        if target.in_process:
            yield LibraryInput(partial(own_caller, selector.kind.name, selector.arguments))
            return
        driver = stack.enter_context(open_target(target))
        if not isinstance(driver, ProcessDriver):
            raise NothingToFuzzError(f"'{target.selector}' has no process of its own")

        def opens() -> LibraryCaller:
            process = start(driver, target.timeout_s)
            stack.callback(process.close)
            return process

        yield LibraryInput(opens)


def _seeds() -> Iterator[Seed]:
    """Yield the usual order of calls up to a result, the same with a mistake before each step, and random ones."""
    begin: list[tuple[Callable[[LibraryClient, Pick], None], int, int]] = [
        (LibraryClient.create_model, 0, 0),
        *[(LibraryClient.build_model, 0, 0)] * _FINISHED,
        (LibraryClient.create_compilation, 0, 0),
    ]
    middle = [
        (LibraryClient.finish_compilation, 0, 0),
        (LibraryClient.create_burst, 0, 0),
        (LibraryClient.create_execution, 0, 0),
    ]
    given = [(LibraryClient.set_argument, number, _RIGHT) for number in range(_ARGUMENTS)]
    end = [(LibraryClient.run, 1, 0), (LibraryClient.ask_shape, 0, 0), (LibraryClient.wait_again, 1, 0)]
    options = [(LibraryClient.set_option, number, wrong) for number in (0, 1) for wrong in (0, 1)]
    wrong = [(LibraryClient.set_argument, number, mistake) for number in range(_ARGUMENTS) for mistake in (0, 1)]
    mistakes = [*begin[:2], (LibraryClient.misuse_model, 0, 0), *begin[2:4], begin[-1], *begin[4:], *options]
    mistakes += [
        *middle[1:],
        *middle,
        middle[0],
        *options[:1],
        end[1],
        *wrong,
        *given,
        *given,
        end[0],
        *end,
        *given[:1],
    ]
    for name, steps in (("usual", [*begin, *middle, *given, *end]), ("mistakes", mistakes)):
        yield Seed(name, b"".join(bytes((STEPS.index(step), *values, 0)) for step, *values in steps))
    yield from FORM.seeds("library")


LIBRARY: Final = Harness(
    name="library",
    summary="calls of the C API in any order, of which a model of the states knows what each must answer",
    opens=open_library,
    seeds=_seeds,
    mutator=FORM.mutated,
    crossover=FORM.crossed,
    max_len=FORM.max_len,
)
