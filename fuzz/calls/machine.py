"""Steps of a client with the objects of a driver, in any order, and the checks of their results.

:data:`STEPS` lists the steps. Two clients choose among them: the bytes of the fuzzer (:mod:`nnvet.fuzz.calls.harness`),
and Hypothesis (:func:`api_machine`), which also shortens a failing sequence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from nnvet.adapters.calls import execute, prepare
from nnvet.fuzz.findings import FindingKind, FuzzFinding
from nnvet.fuzz.steps import SUM_BYTES, SumMemory, sum_models
from nnvet.fuzz.target import FuzzedDriver
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.fences import wait_for_fences
from nnvet.hal.interfaces import Buffer, Burst, Execution, FencedExecutionResult, PreparedModel
from nnvet.hal.memory import create_ashmem, mapped

T = TypeVar("T")
Pick = Callable[[int], int]
"""A function that chooses a number below the given one; the fuzzer and Hypothesis each have one."""

MOST: Final = 4
"""Most objects of a kind that exist at a time."""
_NUMBERS: Final = 100
"""Inputs are whole numbers below this."""
_TOKENS: Final = (1, 2)
"""Tokens by which bursts know the two pools of memory."""
_CONFIG: Final = hal.ExecutionConfig()


class FilledBuffer:
    """A buffer for the first input of a sum, and what has been put into it."""

    def __init__(self, model: PreparedModel, buffer: Buffer, token: int) -> None:
        """Wrap a new buffer, which has no content yet."""
        self.model, self.buffer, self.token = model, buffer, token
        self.content: tuple[float, float] | None = None
        self.memory = create_ashmem(SUM_BYTES)


class ReusedExecution:
    """A reusable execution with the memory of its request."""

    def __init__(self, execution: Execution, memory: SumMemory) -> None:
        """Keep an execution together with its memory."""
        self.execution, self.memory = execution, memory


class ApiMachine:
    """The client's objects. Each method is a step, which fails with a FuzzFinding; see :data:`STEPS`."""

    def __init__(self, driver: FuzzedDriver) -> None:
        """Begin with a driver and no objects."""
        self._driver = driver
        self._number = 0
        self.feature_level = driver.feature_level
        self._memory = SumMemory()
        self.models: list[PreparedModel] = []
        self.executions: list[ReusedExecution] = []
        self.bursts: list[Burst] = []
        self.buffers: list[FilledBuffer] = []
        self.tokens: list[int] = []
        """Tokens of buffers that have been dropped."""

    @property
    def objects(self) -> list[list[Any]]:
        """Return all objects, in a list for each kind."""
        return [self.models, self.executions, self.bursts, self.buffers]

    def prepare(self, _: Pick) -> None:
        """Prepare one more model of a sum, if the driver supports it."""
        device, timeout_s = self._driver.device, self._driver.timeout_s
        for model in sum_models():
            if all(self._must("supported", partial(device.get_supported_operations, model))):
                self.models.append(self._must("prepared", partial(prepare, device, model, timeout_s=timeout_s)))
                return

    def execute(self, pick: Pick) -> None:
        """Execute at once."""
        model = self._pick(self.models, pick)
        self._run(
            "executeSynchronously", lambda: model.execute_synchronously(self._memory.request, _CONFIG, hal.NO_DEADLINE)
        )

    def execute_launched(self, pick: Pick) -> None:
        """Execute and wait for the notification."""
        model, timeout_s = self._pick(self.models, pick), self._driver.timeout_s
        self._run("execute", lambda: execute(model, self._memory.request, timeout_s=timeout_s))

    def execute_fenced(self, pick: Pick) -> None:
        """Execute and wait for the fence."""
        model, request = self._pick(self.models, pick), self._memory.request
        self._run(
            "executeFenced",
            lambda: wait_for_result(model.execute_fenced(request, (), _CONFIG, hal.NO_DEADLINE, hal.NO_DEADLINE)),
        )

    def create_execution(self, pick: Pick) -> None:
        """Create a reusable execution of a request that has memory of its own."""
        model, memory = self._pick(self.models, pick), SumMemory()
        made = self._must("created", lambda: model.create_reusable_execution(memory.request, _CONFIG))
        self.executions.append(ReusedExecution(made, memory))

    def run_execution(self, pick: Pick) -> None:
        """Run a reusable execution with new inputs."""
        reused = self._pick(self.executions, pick)
        self._run("reusable", lambda: reused.execution.execute_synchronously(hal.NO_DEADLINE), reused.memory)

    def run_execution_fenced(self, pick: Pick) -> None:
        """Run a reusable execution with new inputs, and wait for its fence."""
        reused = self._pick(self.executions, pick)
        self._run(
            "reusable, fenced",
            lambda: wait_for_result(reused.execution.execute_fenced((), hal.NO_DEADLINE, hal.NO_DEADLINE)),
            reused.memory,
        )

    def open_burst(self, pick: Pick) -> None:
        """Open a burst."""
        self.bursts.append(self._must("opened", self._pick(self.models, pick).configure_execution_burst))

    def run_burst(self, pick: Pick) -> None:
        """Execute in a burst, with memory that the burst may or may not know already."""
        burst, tokens = self._pick(self.bursts, pick), _TOKENS if pick(2) else (-1, -1)
        request = self._memory.request
        self._run("burst", lambda: burst.execute_synchronously(request, tokens, _CONFIG, hal.NO_DEADLINE))

    def release(self, pick: Pick) -> None:
        """Tell a burst to release memory."""
        burst = self._pick(self.bursts, pick)
        self._must("released", lambda: burst.release_memory_resource(_TOKENS[pick(len(_TOKENS))]))

    def allocate(self, pick: Pick) -> None:
        """Allocate memory for the first input; a driver may have none."""
        model, device = self._pick(self.models, pick), self._driver.device
        roles = (hal.BufferRole(0, 0),)
        made = self._ask(lambda: device.allocate(hal.BufferDesc(), (model,), roles, ()))
        if not isinstance(made, HalError):
            self.buffers.append(FilledBuffer(model, *made))

    def fill_buffer(self, pick: Pick) -> None:
        """Copy into device memory."""
        filled, value = self._pick(self.buffers, pick), float(pick(_NUMBERS))
        filled.content = None
        with mapped(filled.memory, writable=True) as view:
            view[:] = _floats(value, -value)
        self._must("copied to the device", lambda: filled.buffer.copy_from(filled.memory, ()))
        filled.content = (value, -value)

    def read_buffer(self, pick: Pick) -> None:
        """Copy from device memory, and check that it holds what was put there."""
        filled, into = self._pick(self.buffers, pick), create_ashmem(SUM_BYTES)
        answer = self._ask(lambda: filled.buffer.copy_to(into))
        if (filled.content is None) != isinstance(answer, HalError):
            raise _make_finding(
                answer, "buffer/uninitialised" if filled.content is None else "buffer/copy", "copied from the device"
            )
        with mapped(into, writable=False) as view:
            if filled.content is not None and bytes(view) != _floats(*filled.content):
                raise FuzzFinding(FindingKind.WRONG, "buffer/content", "device memory holds something else")

    def use_buffer(self, pick: Pick) -> None:
        """Execute with device memory as input, which has to succeed exactly if the memory has content."""
        buffer = self._pick(self.buffers, pick)
        answer = self._execute_with(buffer.model, buffer.token)
        if (buffer.content is None) != isinstance(answer, HalError):
            rule = "buffer/uninitialised" if buffer.content is None else "execution/status"
            raise _make_finding(answer, rule, "executed with device memory")
        if buffer.content is not None:
            self._memory.check("device memory", buffer.content)

    def use_dropped_buffer(self, pick: Pick) -> None:
        """Execute with a token whose buffer has been dropped, which must fail."""
        model, token = self._pick(self.models, pick), self._pick(self.tokens, pick)
        if all(token != buffer.token for buffer in self.buffers):
            answer = self._execute_with(model, token)
            if not isinstance(answer, HalError):
                raise _make_finding(answer, "buffer/released", "executed with dropped device memory")

    def drop(self, pick: Pick) -> None:
        """Drop any object; those made from it stay."""
        filled = [kind for kind in self.objects if kind]
        if filled:
            kind = filled[pick(len(filled))]
            dropped = kind.pop(pick(len(kind)))
            self.tokens += [dropped.token] if isinstance(dropped, FilledBuffer) else []

    def _execute_with(self, model: PreparedModel, token: int) -> object:
        self._refill(self._memory)
        known = self._memory.request
        inputs = (hal.RequestArgument(location=hal.DataLocation(len(known.pools))), known.inputs[1])
        request = hal.Request(inputs, known.outputs, (*known.pools, hal.BufferToken(token)))
        return self._ask(lambda: model.execute_synchronously(request, _CONFIG, hal.NO_DEADLINE))

    def _run(self, where: str, call: Callable[[], object], memory: SumMemory | None = None) -> None:
        used = memory or self._memory
        self._refill(used)
        self._must(where, call)
        used.check(where)

    def _refill(self, memory: SumMemory) -> None:
        self._number = (self._number + 1) % _NUMBERS
        memory.fill(self._number)

    def _ask(self, call: Callable[[], T]) -> T | HalError:
        answer = self._driver.ask(call)
        if isinstance(answer, HalError):
            # The frames of a traceback refer to objects and would keep them alive after they are dropped.
            answer.__cause__ = answer.__context__ = answer.__traceback__ = None
        return answer

    def _must(self, where: str, call: Callable[[], T]) -> T:
        answer = self._ask(call)
        if isinstance(answer, HalError):
            raise _make_finding(answer, "execution/status", where)
        return answer

    def _pick(self, objects: list[T], pick: Pick) -> T:
        return objects[pick(len(objects))]


def wait_for_result(result: FencedExecutionResult) -> FencedExecutionResult:
    """Wait for the fence of a fenced execution, and return the result."""
    if result.sync_fence is not None:
        wait_for_fences((result.sync_fence,))
    return result


def _floats(*values: float) -> bytes:
    return np.array(values, np.float32).tobytes()


def _make_finding(answer: object, rule: str, what: str) -> FuzzFinding:
    if isinstance(answer, HalError):
        return FuzzFinding(FindingKind.REFUSED, rule, f"not {what}: {answer}", place=f"{what} {answer.rule}")
    return FuzzFinding(FindingKind.ACCEPTED, rule, what, place=what)


class ApiStep(NamedTuple):
    """A step, with the lists of objects that must not be empty for it.

    ``makes`` is the list that the step adds to, up to MOST objects. Drivers of levels below ``level`` lack the step's
    call.
    """

    act: Callable[[ApiMachine, Pick], None]
    needs: tuple[str, ...] = ()
    makes: str = ""
    level: int = 1

    def is_possible(self, machine: ApiMachine) -> bool:
        """Return True if the step can be taken now."""
        is_known = machine.feature_level >= self.level and all(getattr(machine, name) for name in self.needs)
        return is_known and len(getattr(machine, self.makes, ())) < MOST


_M, _E, _B, _D = ("models",), ("executions",), ("bursts",), ("buffers",)
STEPS: Final = (
    ApiStep(ApiMachine.prepare, makes="models"),
    ApiStep(ApiMachine.execute, _M, level=3),
    ApiStep(ApiMachine.execute_launched, _M),
    ApiStep(ApiMachine.execute_fenced, _M, level=4),
    ApiStep(ApiMachine.create_execution, _M, "executions", level=8),
    ApiStep(ApiMachine.run_execution, _E, level=8),
    ApiStep(ApiMachine.run_execution_fenced, _E, level=8),
    ApiStep(ApiMachine.open_burst, _M, "bursts", level=3),
    ApiStep(ApiMachine.run_burst, _B, level=3),
    ApiStep(ApiMachine.release, _B, level=3),
    ApiStep(ApiMachine.allocate, _M, "buffers", level=4),
    ApiStep(ApiMachine.fill_buffer, _D, level=4),
    ApiStep(ApiMachine.read_buffer, _D, level=4),
    ApiStep(ApiMachine.use_buffer, _D, level=4),
    ApiStep(ApiMachine.use_dropped_buffer, ("models", "tokens"), level=4),
    ApiStep(ApiMachine.drop),
)
"""All steps. A new step is added to this table and nowhere else."""


def api_machine(open_fuzzed: Callable[[], FuzzedDriver]) -> type[RuleBasedStateMachine]:
    """Return a state machine of Hypothesis with the steps of :data:`STEPS`; each run begins without objects."""

    def begin(self: Any) -> None:
        RuleBasedStateMachine.__init__(self)
        self.machine = ApiMachine(open_fuzzed())

    steps = {step.act.__name__: _step(step) for step in STEPS}
    return type("ApiStateMachine", (RuleBasedStateMachine,), {"__init__": begin, **steps})


def _step(action: ApiStep) -> object:
    def step(self: Any, data: Any) -> None:
        action.act(self.machine, lambda count: data.draw(strategies.integers(0, count - 1)))

    step.__name__ = action.act.__name__
    possible = precondition(lambda self: action.is_possible(self.machine))
    return possible(rule(data=strategies.data())(step))
