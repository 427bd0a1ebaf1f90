"""Execution of a compiled model on arrays, operation by operation, with rules, shapes, control flow and deadlines.

Models are compiled in :mod:`nnvet.reference_driver.compiled`. The kernels are in ``kernels/``, and memory is mapped to
arrays in :mod:`nnvet.reference_driver.transfer`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec.structs import replace

from nnvet.diagnostics import tracing
from nnvet.diagnostics.vlog import Tag, vlog
from nnvet.driver_kit.inference import merge
from nnvet.hal import enums
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operations.declaration import Argument, OutputSpec, copy_of
from nnvet.reference_driver import compiled, limits
from nnvet.reference_driver.fused.program import Run
from nnvet.reference_driver.kernels.registry import Array
from nnvet.reference_driver.scheduler import Turn

_COMPUTE = tracing.Bucket(tracing.Layer.DRIVER, tracing.TracePhase.COMPUTATION)
"""Bucket of the trace (:mod:`nnvet.diagnostics.tracing`) that counts the time of kernels."""
_LOG = Tag.CPUEXE
"""Tag under which each operation is logged, as NNAPI's CPU executor does."""


@dataclass
class GraphExecution:
    """One execution. Between operations it calls ``turn``, which may interrupt it and whose clock limits loops.

    ``loop_timeout_ns`` is NO_DEADLINE for the default. ``extra`` is passed on to the kernels (random source, …).
    """

    model: compiled.CompiledModel
    loop_timeout_ns: int = enums.NO_DEADLINE
    turn: Turn | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    _held: int = field(default=0, init=False)
    """Bytes of the computed values that have not been released."""

    def run(self, inputs: Sequence[Argument], outputs: Sequence[Argument]) -> list[Argument]:
        """Execute the main subgraph.

        ``inputs`` carry values or are omitted; ``outputs`` carry the dimensions that the request demands (0
        unknown). Returns the outputs with values and final dimensions.

        :raises HalError: with the status of the broken rule.
        """
        with np.errstate(all="ignore"):
            return self._subgraph(self.model.main, inputs, outputs)

    def _subgraph(
        self, subgraph: compiled.CompiledSubgraph, inputs: Sequence[Argument], outputs: Sequence[Argument]
    ) -> list[Argument]:
        live: list[Argument] = list(subgraph.arguments)
        for index, argument in zip(subgraph.source.input_indexes, inputs, strict=True):
            live[index] = argument
        for index, argument in zip(subgraph.source.output_indexes, outputs, strict=True):
            live[index] = argument
        for part in subgraph.operations if subgraph.fused is None else subgraph.fused.parts(subgraph):
            if not isinstance(part, Run):
                self._operation(subgraph, part, live)
            elif part.applies(live, limits.HELD_BYTES - self._held):
                self._run(subgraph, part, live)
            else:
                for operation in part.operations:
                    self._operation(subgraph, operation, live)
        return [live[index] for index in subgraph.source.output_indexes]

    def _operation(
        self,
        subgraph: compiled.CompiledSubgraph,
        operation: compiled.CompiledOperation | compiled.CompiledControlFlow,
        live: list[Argument],
    ) -> None:
        if self.turn is not None:
            self.turn.checkpoint()
        if isinstance(operation, compiled.CompiledControlFlow):
            self._control_flow(subgraph, operation, live)
        else:
            self._held += run_operation(subgraph, operation, live, self.extra, limits.HELD_BYTES - self._held)
        self._let_go(subgraph, operation, live)

    def _run(self, subgraph: compiled.CompiledSubgraph, run: Run, live: list[Argument]) -> None:
        self._held += run.execute(live, None if self.turn is None else self.turn.checkpoint)
        for operation in run.operations:
            self._let_go(subgraph, operation, live)

    def _let_go(
        self,
        subgraph: compiled.CompiledSubgraph,
        operation: compiled.CompiledOperation | compiled.CompiledControlFlow,
        live: list[Argument],
    ) -> None:
        for index in operation.dead_after:
            self._held -= _bytes(live[index])
            live[index] = subgraph.arguments[index]

    def _control_flow(
        self, subgraph: compiled.CompiledSubgraph, step: compiled.CompiledControlFlow, live: list[Argument]
    ) -> None:
        operation, held_outside = step.operation, self._held
        if operation.type == enums.OperationType.IF:
            results = self._if(subgraph, operation.inputs, live)
        else:
            results = self._while(subgraph, operation.inputs, live, len(operation.outputs))
        self._held = held_outside + sum(map(_bytes, results))
        for index, result in zip(operation.outputs, results, strict=True):
            live[index] = deliver(enums.OperationType(operation.type).name, live[index], result)

    def _if(
        self, subgraph: compiled.CompiledSubgraph, inputs: Sequence[int], live: Sequence[Argument]
    ) -> list[Argument]:
        taken = inputs[1] if _truth(live[inputs[0]], "IF/condition") else inputs[2]
        branch = self._referenced(subgraph, taken)
        return self._subgraph(branch, _passed(live, inputs[3:]), _declared_outputs(branch))

    def _while(
        self, subgraph: compiled.CompiledSubgraph, inputs: Sequence[int], live: Sequence[Argument], outputs: int
    ) -> list[Argument]:
        condition, body = (self._referenced(subgraph, index) for index in inputs[:2])
        values = _passed(live, inputs[2:])
        limit = (
            enums.DEFAULT_LOOP_TIMEOUT_DURATION_NS
            if self.loop_timeout_ns == enums.NO_DEADLINE
            else self.loop_timeout_ns
        )
        limit = min(limit, enums.MAXIMUM_LOOP_TIMEOUT_DURATION_NS)
        held_outside = self._held
        clock = time.monotonic_ns if self.turn is None else self.turn.now_ns
        start = clock()
        while _truth(self._subgraph(condition, values, _declared_outputs(condition))[0], "WHILE/condition.output"):
            if clock() - start > limit:
                raise HalError(
                    enums.ErrorStatus.MISSED_DEADLINE_TRANSIENT,
                    "WHILE ran longer than the loop timeout",
                    "WHILE/timeout",
                )
            results = self._subgraph(body, values, _declared_outputs(body))
            values[: len(results)] = results
            # The round's results take the place of the last one's.
            self._held = held_outside + sum(map(_bytes, results))
        return values[:outputs]

    def _referenced(self, subgraph: compiled.CompiledSubgraph, operand_index: int) -> compiled.CompiledSubgraph:
        return self.model.referenced[subgraph.source.operands[operand_index].location.offset]


def run_operation(
    subgraph: compiled.CompiledSubgraph,
    step: compiled.CompiledOperation,
    live: list[Argument],
    extra: Mapping[str, Any],
    left: int,
) -> int:
    """Run one operation, and add its outputs, of ``left`` bytes at most, to the live operands.

    :returns: bytes of the outputs.
    :raises HalError: the operation fails.
    """
    name = step.declaration.name
    vlog(_LOG, "%s %s", name, step.operation)
    try:
        with tracing.span(_COMPUTE, name):
            return _run_operation(subgraph, step, live, extra, left)
    except HalError:
        raise
    except MemoryError as error:
        message = f"no memory for {name}"
        raise HalError(enums.ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT, message, "execution/memory") from error
    except Exception as error:
        # Parameters that the contract leaves undefined end here: a clean error, never a crash.
        raise failure(f"{name} cannot be computed: {type(error).__name__}: {error}", "driver/exception") from error


def _run_operation(
    subgraph: compiled.CompiledSubgraph,
    step: compiled.CompiledOperation,
    live: list[Argument],
    extra: Mapping[str, Any],
    left: int,
) -> int:
    call = compiled.actual_call(step, live, extra)
    call.specs, resolved = compiled.plan(subgraph, step, call, live)
    compiled.check_sizes(resolved, left)
    call.outputs = [copy_of(output) for output in resolved]
    if _are_empty(call.specs):
        arrays: tuple[Array, ...] = tuple(np.empty(output.dimensions, output.dtype) for output in call.outputs)
    else:
        result = step.kernel(call)
        arrays = result if isinstance(result, tuple) else (result,)
    held = 0
    for index, output, array in zip(step.operation.outputs, call.outputs, arrays, strict=True):
        output.value = array
        if output.dimensions != array.shape:
            output.dimensions = merge(output.dimensions, array.shape, step.declaration.name)
        live[index] = output
        held += array.nbytes
    return held


def _are_empty(specs: Sequence[OutputSpec]) -> bool:
    """Return True if no output has an element."""
    for spec in specs:  # noqa: SIM110 - generators are slower here
        if spec.dimensions is None or 0 not in spec.dimensions:
            return False
    return True


def _bytes(argument: Argument) -> int:
    return 0 if argument.value is None or argument.constant else argument.value.nbytes


def deliver(name: str, declared: Argument, result: Argument) -> Argument:
    """Return the result of a subgraph as an operand of the outer graph, whose dimensions must agree."""
    return replace(result, dimensions=merge(declared.dimensions, result.dimensions, name), constant=False)


def _passed(live: Sequence[Argument], indexes: Sequence[int]) -> list[Argument]:
    # An outer constant may differ between the places from which a subgraph is called.
    return [replace(live[index], constant=False) for index in indexes]


def _declared_outputs(subgraph: compiled.CompiledSubgraph) -> list[Argument]:
    return [subgraph.arguments[index] for index in subgraph.source.output_indexes]


def _truth(condition: Argument, rule: str) -> bool:
    if condition.omitted or condition.value is None or condition.value.size != 1:
        raise failure("the condition has no single value", rule)
    return bool(condition.value.reshape(-1)[0])
