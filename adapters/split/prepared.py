"""A prepared model of several steps: fallbacks after failures, and the roles of operands for device memory.

A step may fail. Then, by the option ``fallback``, the client sees the error, another device tries the step, or one
device executes the whole model. A fallback hides the error unless all attempts fail. The roles of an operand are the
steps that read or write it; they decide which device may allocate memory for it. Interpreted control flow passes values
on, so a value also has the roles of all operands that receive it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, Protocol

from nnvet.adapters.calls import prepare
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.adapters.split.assignment import MemberAnswers
from nnvet.adapters.split.caching import StepCaches, StepKey
from nnvet.adapters.split.faults import BorderFault
from nnvet.adapters.split.interpreting import FIRST_VALUE, part_models
from nnvet.adapters.split.running import CutModel, SplitRun, ZeroBorderError
from nnvet.adapters.split.steps import INTERPRETER, SplitStep
from nnvet.adapters.split.tokens import SplitTokens, StepUse
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.conversion import model_at, preparation_at
from nnvet.hal.enums import ErrorStatus, FeatureLevel, OperationType
from nnvet.hal.errors import HalError, failure, invalid
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.types import BufferToken, ExecutionConfig, ExecutionResult, Model, PrepareModelConfig, Request


class PlanOfSteps(Protocol):
    """The parts of a plan that roles need; :class:`nnvet.adapters.split.plan.SplitPlan` has them."""

    @property
    def model(self) -> Model:
        """The model that is planned."""

    @property
    def source(self) -> tuple[int, ...]:
        """Operations and parts that lead to the model; empty for the client's."""

    @property
    def parts(self) -> Mapping[int, Sequence[PlanOfSteps]]:
        """Plans for the parts of interpreted control flow, by operation."""

    def steps(self, preference: int) -> list[SplitStep]:
        """Return the steps for a client of this preference."""


class StepRole(NamedTuple):
    """A use of an operand by a step: the step's device, and True if it reads the operand."""

    device: int
    is_input: bool


class SourceOperand(NamedTuple):
    """An operand of the client's model (then ``source`` is empty) or of a part of its control flow."""

    source: tuple[int, ...]
    operand: int


Roles = defaultdict[SourceOperand, set[StepRole]]
"""The roles of all operands that have some."""
_CONDITION: Final = 0
_BODY: Final = 1
"""Positions of the condition and the body among the parts of a WHILE."""


def roles_of(plan: PlanOfSteps, preference: int) -> Roles:
    """Return the roles of all operands of a plan, for a client of this preference.

    :raises HalError: no device supports some operation.
    """
    roles: Roles = defaultdict(set)
    _add_roles(plan, preference, roles)
    return roles


def _add_roles(plan: PlanOfSteps, preference: int, roles: Roles) -> None:
    for step in plan.steps(preference):
        if step.device != INTERPRETER:
            # A model that is not cut may have inputs that no operation reads.
            operations = [plan.model.main.operations[place] for place in step.operations]
            for is_input in (True, False):
                used = {
                    index for operation in operations for index in (operation.inputs if is_input else operation.outputs)
                }
                for index in used.intersection(step.inputs if is_input else step.outputs):
                    roles[SourceOperand(plan.source, index)].add(StepRole(step.device, is_input))
            continue
        for part in plan.parts[step.operations[0]]:
            _add_roles(part, preference, roles)
        _add_handed_on(plan, step, roles)


def _add_handed_on(plan: PlanOfSteps, step: SplitStep, roles: Roles) -> None:
    """Give the operands of control flow the roles of the operands that its parts receive and return."""
    (place,) = step.operations
    operation = plan.model.main.operations[place]
    kind = OperationType(operation.type)
    sources = [(*plan.source, place, number) for number in (0, 1)]
    mains = [part.main for part in part_models(plan.model, place)]
    read = [SourceOperand(plan.source, index) for index in operation.inputs[FIRST_VALUE[kind] :]]
    inner = [
        [SourceOperand(source, index) for index in main.input_indexes]
        for source, main in zip(sources, mains, strict=True)
    ]
    written = [
        [SourceOperand(source, index) for index in main.output_indexes]
        for source, main in zip(sources, mains, strict=True)
    ]
    if kind == OperationType.IF:
        outputs = [SourceOperand(plan.source, index) for index in operation.outputs]
        for part in (0, 1):
            for outer, own in (*zip(read, inner[part], strict=True), *zip(outputs, written[part], strict=True)):
                roles[outer] |= roles[own]
        return
    # A loop's initial values, and the values that a round writes, are read by the condition and by the next round.
    for condition, body in zip(inner[_CONDITION], inner[_BODY], strict=True):
        roles[condition] |= roles[body]
    for outer, own in (
        *zip(read, inner[_CONDITION], strict=True),
        *zip(written[_BODY], inner[_CONDITION], strict=False),
    ):
        roles[outer] |= roles[own]


FALLBACKS: Final = ("none", "whole", "partial")
"""Values of the option ``fallback``; the first is the default."""
_CACHE_LEVEL: Final = FeatureLevel.FL3
"""First level that has compilation caching."""
_LATE: Final = (ErrorStatus.MISSED_DEADLINE_TRANSIENT, ErrorStatus.MISSED_DEADLINE_PERSISTENT)

"""A fallback after these errors would come too late as well, so they end the execution."""


class StepDevices:
    """The devices that may compute steps of one model; each prepares a step at most once."""

    def __init__(
        self,
        devices: Sequence[Device],
        answers: MemberAnswers,
        config: PrepareModelConfig,
        interpret: Callable[[SplitStep], PreparedModel],
        caches: StepCaches | None = None,
        source: tuple[int, ...] = (),
    ) -> None:
        """Take the devices with their answers; ``interpret`` prepares control flow that the host is to interpret.

        With ``caches``, files are read from and saved there, under the model that ``source`` names.
        """
        self.devices = devices
        self.answers = answers
        self.config = config
        self._interpret = interpret
        self._caches = caches
        self._source = source
        self._lock = threading.Lock()
        self._prepared: dict[tuple[int, tuple[int, ...]], PreparedModel] = {}

    def prepare(self, step: SplitStep, fallback: str) -> tuple[int, PreparedModel]:
        """Prepare a step, and return the device that did: its own, or another one if the fallback is partial.

        :raises HalError: as the first device fails that was tried.
        """
        first: HalError | None = None
        for device in self.takers(step) if fallback == FALLBACKS[-1] else [step.device]:
            try:
                return device, self.prepared(device, step)
            except HalError as error:
                first = first or error
                if error.status in _LATE:
                    break
        raise first or failure("no device takes all operations", "driver/operation.supported")

    def takers(self, step: SplitStep) -> list[int]:
        """Return the devices that take all operations of a step; the step's own device comes first."""
        takers = self.answers.takers_of_all(step.operations)
        if step.device == INTERPRETER:
            takers.append(INTERPRETER)
        return sorted(takers, key=lambda device: device != step.device)

    def prepared(self, device: int, step: SplitStep) -> PreparedModel:
        """Return the step's model as prepared by a device, which is asked once.

        :raises HalError: the device fails.
        """
        key = device, step.operations
        with self._lock:
            if key not in self._prepared:
                self._prepared[key] = self._prepare(device, step)
            return self._prepared[key]

    def _prepare(self, number: int, step: SplitStep) -> PreparedModel:
        if number == INTERPRETER:
            return self._interpret(step)
        device = self.devices[number]
        level = device.get_feature_level()
        model, config = model_at(step.model, level), preparation_at(self.config, level)
        if self._caches is None or level < _CACHE_LEVEL:
            return prepare(device, model, config)
        is_whole = not self._source and len(step.operations) == len(self.answers.supported[number])
        return self._caches.prepare(
            device, StepKey(number, self._source, step.operations), model, config, is_whole=is_whole
        )


class SplitPreparedModel(BasePreparedModel):
    """A model whose steps several devices have prepared."""

    def __init__(
        self,
        cut: CutModel,
        everything: SplitStep,
        prepared: Sequence[tuple[int, PreparedModel]],
        workers: StepDevices,
        fallback: str,
        fault: BorderFault,
        tokens: SplitTokens,
        roles: Callable[[], Roles],
    ) -> None:
        """Take the steps with the devices that prepared them; ``everything`` is the model as one step.

        ``tokens`` has the device memory of all devices, ``roles`` finds the steps that use an operand.
        """
        super().__init__(cut.model)
        self.feature_level = max(cut.levels)
        self.cut = cut
        self._everything = everything
        self._prepared = prepared
        self._workers = workers
        self._fallback = fallback
        self._fault = fault
        self._tokens = tokens
        self._roles = roles
        self._guesses: dict[int, int] = {}

    def check_request(self, request: Request, *, unspecified_outputs: bool) -> None:
        """Also refuse device memory of a device other than the one that is to use it.

        :raises HalError: INVALID_ARGUMENT.
        """
        super().check_request(request, unspecified_outputs=unspecified_outputs)
        for arguments, is_input in ((request.inputs, True), (request.outputs, False)):
            for position, argument in enumerate(arguments):
                if argument.has_no_value:
                    continue
                owner = self._tokens.owner(request.pools[argument.location.pool_index])
                if owner is not None and {use.device for use in self.uses(position, is_input=is_input)} != {owner}:
                    raise invalid("the device memory is of another device than the one that uses it", "buffer/role")

    def uses(self, position: int, *, is_input: bool) -> list[StepUse]:
        """Return the inputs and outputs of steps that an input or output of the model becomes.

        There are none if several devices use it, or if the interpreter does.
        """
        main = self.cut.model.main
        index = (main.input_indexes if is_input else main.output_indexes)[position]
        if len({role.device for role in self._roles()[SourceOperand((), index)]}) != 1:
            return []
        steps = list(zip(self.cut.steps, self._prepared, strict=True))
        if any(device == INTERPRETER and index in (*step.inputs, *step.outputs) for step, (device, _) in steps):
            return []
        return [
            StepUse(device, prepared, listed.index(index), listed is step.inputs)
            for step, (device, prepared) in steps
            for listed in (step.inputs, step.outputs)
            if index in listed
        ]

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Execute the steps one after another.

        :raises HalError: a step fails, and the fallback allows no other attempt or all attempts fail.
        """
        has_tokens = any(isinstance(pool, BufferToken) for pool in request.pools)
        request = self._tokens.for_owners(request)
        run = SplitRun(self.cut, request, config, deadline_ns, self._guesses)
        self._fault.before_run(run)
        try:
            for number in range(len(self.cut.steps)):
                self._run_step(run, number, is_bound=has_tokens)
        except ZeroBorderError as border:
            # One device has to execute the whole model, even without a fallback: requests cannot have such an operand.
            inexpressible = failure(f"operand {border.args[0]}, which has no elements, crosses a border", INEXPRESSIBLE)
            return self._run_whole(request, config, deadline_ns, inexpressible)
        except HalError as error:
            if self._fallback == FALLBACKS[0] or error.status in _LATE or has_tokens:
                raise
            return self._run_whole(request, config, deadline_ns, error)
        return run.result()

    def _run_step(self, run: SplitRun, number: int, *, is_bound: bool) -> None:
        """Execute a step on its own device, then on others if the fallback is partial.

        ``is_bound`` is True if the request has device memory, which other devices do not know.

        :raises HalError: as the step's own device fails.
        """
        first: HalError | None = None
        for device, prepared in self._prepared[number : number + 1] if is_bound else self._list_tries(number):
            try:
                run.run_step(number, prepared, self.cut.level_of(device))
            except HalError as error:
                if error.status in _LATE:
                    raise
                first = first or error
                self._fault.after_failure(run, number)
            else:
                again = partial(run.run_step, number, prepared, self.cut.level_of(device))
                self._fault.after_step(run, number, None if first is None else again)
                return
        if first is not None:
            raise first

    def _list_tries(self, number: int) -> Iterator[tuple[int, PreparedModel]]:
        """Yield the devices that may try a step, in order; a later one prepares the step only when it is asked for."""
        own, prepared = self._prepared[number]
        yield own, prepared
        step = self.cut.steps[number]
        if self._fallback != FALLBACKS[-1]:
            return
        for device in self._workers.takers(step):
            if device != own:
                yield device, self._workers.prepared(device, step)

    def _run_whole(
        self, request: Request, config: ExecutionConfig, deadline_ns: int, cause: HalError
    ) -> ExecutionResult:
        """Execute the whole model on the first device that takes it and does not fail.

        :raises HalError: the ``cause``, if every device refuses or fails. If the only cause is that a border cannot be
            expressed, the error of the first device that fails takes its place, since that is the model's own.
        """
        for device in self._workers.takers(self._everything):
            whole = CutModel(self.model, (self._everything,), self.cut.levels, self.cut.element_bytes)
            again = SplitRun(whole, request, config, deadline_ns, {})
            try:
                again.run_step(0, self._workers.prepared(device, self._everything), self.cut.level_of(device))
            except HalError as error:
                if error.status in _LATE:
                    raise
                cause = error if cause.rule == INEXPRESSIBLE else cause
                continue
            return again.result()
        raise cause
