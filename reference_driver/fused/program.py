"""Runs of operations: found in a subgraph when it is first executed, and executed with one compiled call each.

Operations are fused in models that are prepared for many executions, if numba is installed. A run has an arena of
blocks; blocks that are not needed at the same time share cells.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import prod
from threading import Lock
from typing import Any, Final

import numpy as np

from nnvet.diagnostics import tracing, vlog
from nnvet.hal.errors import HalError
from nnvet.hal.operations.declaration import Argument, Call, copy_of
from nnvet.hal.types import NO_DEADLINE, ExecutionPreference, PrepareModelConfig
from nnvet.reference_driver import limits
from nnvet.reference_driver.compiled import (
    CompiledControlFlow,
    CompiledModel,
    CompiledOperation,
    CompiledSubgraph,
    actual_call,
    check_sizes,
    plan,
)
from nnvet.reference_driver.fused import recurrent, stamp, steps
from nnvet.reference_driver.fused import table as t
from nnvet.reference_driver.fused.steps import StepTable, Unfit, is_known
from nnvet.reference_driver.kernels.registry import Array, Kernel, kernels

_ALIGNMENT = 16
"""Alignment of blocks in values, which make a cache line."""


def place(steps: StepTable, inputs: Sequence[int], outputs: Sequence[int]) -> tuple[Array, int]:
    """Give every block a place; return the table with numbers of cells in place of blocks, and the number of cells.

    Inputs live from before the first step, outputs until after the last step.
    """
    last = len(steps.rows)
    lives = [[last, -1] for _ in steps.sizes]
    for number, (row, columns) in enumerate(zip(steps.rows, steps.places, strict=True)):
        for column in columns:
            life = lives[row[column]]
            life[0], life[1] = min(life[0], number), max(life[1], number)
    for block in inputs:
        lives[block] = [-1, last]
    for block in outputs:
        lives[block][1] = last
    starts, cells = _fit(steps.sizes, lives)
    steps.starts = starts
    rows = np.array(steps.rows, np.int64).reshape(-1, t.COLUMNS)
    for line, columns in zip(rows, steps.places, strict=True):
        for column in columns:
            line[column] = starts[line[column]]
    return rows, cells


def _fit(sizes: Sequence[int], lives: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """Return the starts of blocks, large blocks first, each in the first gap that is large enough while it lives."""
    starts, placed = [0] * len(sizes), list[int]()
    for block in sorted(range(len(sizes)), key=lambda block: -sizes[block]):
        first, last = lives[block]
        beside = [other for other in placed if lives[other][0] <= last and first <= lives[other][1]]
        start = 0
        for neighbour in sorted(beside, key=lambda other: starts[other]):
            if start + sizes[block] <= starts[neighbour]:
                break
            start = max(start, starts[neighbour] + -(-sizes[neighbour] // _ALIGNMENT) * _ALIGNMENT)
        starts[block] = start
        placed.append(block)
    return starts, max((start + size for start, size in zip(starts, sizes, strict=True)), default=0)


def join_constants(parts: Sequence[Array], dtype: type[np.generic]) -> Array:
    """Return all constants of a kind in one array, which is never empty, since empty arrays have no valid place."""
    return np.concatenate([*parts, np.zeros(t.WIDE, dtype)])


STEPS: dict[int, tuple[steps.Step, tuple[str, ...]]] = {**steps.STEPS, **recurrent.STEPS}
"""Translation of each operation that can be fused, and the names of its inputs that need not be constant."""


_log = logging.getLogger(__name__)
_SHORTEST: Final = 2
"""Least number of operations of a run; shorter ones are not worth the transfer into the arena and out of it."""
_WORK_AT_ONCE: Final = 2**23
"""Number of products between two checks of the clock: about 2 ms on a slow processor."""
_SLACK: Final = t.WIDE
"""Values allocated beyond the end of the arena, because a tile's vectors may load them without using them."""

_CELL: Final = np.dtype(np.float32).itemsize
"""Bytes of a cell of the arena."""

Place = tuple[int, int, Argument]
"""A place in the arena with the operand whose values are there."""
Loop = Callable[..., None]
"""The compiled function that executes the rows of a table."""


@dataclass
class Run:
    """Operations that one call of ``loop`` executes, or several calls with checks of the clock between them.

    ``kernels`` are the operations' kernels when the run was made; if one was replaced since, the run does not apply.
    ``inputs`` and ``outputs``: the operand's index, its first cell in the arena, and the operand.
    """

    operations: tuple[CompiledOperation, ...]
    kernels: tuple[Kernel, ...]
    inputs: tuple[Place, ...]
    outputs: tuple[Place, ...]
    tables: tuple[Array, ...]
    constants: tuple[Array, Array, Array]
    cells: int
    loop: Loop
    _arenas: list[Array] = field(default_factory=list)

    def applies(self, live: Sequence[Argument], left: int) -> bool:
        """Return True if the run can serve this execution, which may take ``left`` bytes."""
        if tracing.is_recording() or vlog.is_on(vlog.Tag.CPUEXE) or self.cells * _CELL > left:
            return False
        for operation, kernel in zip(self.operations, self.kernels, strict=True):
            if operation.kernel is not kernel:
                return False
        for index, _, given in self.inputs:
            if live[index].value is None or live[index].dimensions != given.dimensions:
                return False
        return all(live[index].dimensions == output.dimensions for index, _, output in self.outputs)

    def execute(self, live: list[Argument], checkpoint: Callable[[], None] | None) -> int:
        """Execute the run, and add its outputs to the live operands.

        :returns: the bytes of the outputs.
        :raises HalError: whatever ``checkpoint`` raises.
        """
        arena = self._arenas.pop() if self._arenas else np.zeros(self.cells + _SLACK, np.float32)
        for index, first, _ in self.inputs:
            value = live[index].array
            arena[first : first + value.size] = value.reshape(-1)
        for number, rows in enumerate(self.tables):
            if number and checkpoint is not None:
                checkpoint()
            self.loop(rows, arena, *self.constants)
        held = 0
        for index, first, output in self.outputs:
            result = copy_of(output)
            cells = arena[first : first + prod(output.dimensions)]
            result.value = cells.astype(output.dtype).reshape(output.dimensions)
            live[index] = result
            held += result.value.nbytes
        self._arenas.append(arena)
        return held


Part = CompiledOperation | CompiledControlFlow | Run
"""One step of an execution: an operation alone, control flow, or a run of fused operations."""


@dataclass
class Fusion:
    """The steps of a subgraph: fused runs and single operations. They are made when first needed."""

    loop: Loop
    _parts: tuple[Part, ...] | None = None
    _lock: Any = field(default_factory=Lock)

    def parts(self, subgraph: CompiledSubgraph) -> tuple[Part, ...]:
        """Return the steps of an execution in order."""
        parts = self._parts
        if parts is None:
            with self._lock:
                if self._parts is None:
                    self._parts = _find(subgraph, self.loop)
                parts = self._parts
        return parts

    def forget(self) -> None:
        """Release the steps; the next execution makes them again."""
        with self._lock:
            self._parts = None


def _find(subgraph: CompiledSubgraph, loop: Loop) -> tuple[Part, ...]:
    parts: list[Part] = []
    making: _Making | None = None
    for position, operation in enumerate(subgraph.operations):
        if making is None:
            making = _Making(subgraph, position)
        if isinstance(operation, CompiledOperation) and making.takes(operation):
            continue
        parts += [*making.done(loop), operation]
        making = None
    return (*parts, *(making.done(loop) if making is not None else []))


class _Making:
    """Builder of a run."""

    def __init__(self, subgraph: CompiledSubgraph, first: int) -> None:
        self._subgraph = subgraph
        self._first = first
        self._steps = StepTable()
        self._operations: list[CompiledOperation] = []
        self._blocks: dict[int, int] = {}
        self._inputs: dict[int, int] = {}
        self._shapes = list(subgraph.arguments)

    def takes(self, operation: CompiledOperation) -> bool:
        """Add an operation to the run; return False and change nothing if its kernel has to execute it."""
        try:
            self._add(operation)
        except Unfit as reason:
            vlog.vlog(vlog.Tag.COMPILATION, "%s is not fused: %s", operation.declaration.name, reason)
        except HalError as error:
            vlog.vlog(vlog.Tag.COMPILATION, "%s is not fused: %s", operation.declaration.name, error)
        except Exception:  # noqa: BLE001 - see below
            # The contract does not define these parameters; the kernel reports the error.
            _log.debug("%s is not fused", operation.declaration.name, exc_info=True)
        else:
            return True
        return False

    def _add(self, operation: CompiledOperation) -> None:
        if operation.operation.type not in STEPS or operation.kernel is not kernels().get(operation.operation.type):
            raise Unfit("no step does it")
        if not operation.constant_parameters:
            raise Unfit("a parameter that is no constant")
        call = actual_call(operation, self._shapes, {})
        make, names = STEPS[operation.operation.type]
        inputs, outputs = self._values(operation, call, names), operation.operation.outputs
        if not all(is_known(self._shapes[index]) for index in (*inputs, *outputs)):
            raise Unfit("a type or a dimension")
        call.specs, call.outputs = plan(self._subgraph, operation, call, self._shapes)
        check_sizes(call.outputs, limits.HELD_BYTES)
        if [output.dimensions for output in call.outputs] != [self._shapes[index].dimensions for index in outputs]:
            raise Unfit("dimensions that differ from the declared ones")
        with self._steps.undone_by_errors():
            new = [index for index in dict.fromkeys(inputs) if index not in self._blocks]
            given = {index: self._steps.block(prod(self._shapes[index].dimensions)) for index in new}
            blocks = self._blocks | given
            made = make(self._steps, call, [blocks[index] for index in inputs])
        self._inputs |= given
        self._blocks = blocks | dict(zip(outputs, made if isinstance(made, tuple) else (made,), strict=True))
        for index, resolved in zip(outputs, call.outputs, strict=True):
            self._shapes[index] = resolved
        self._operations.append(operation)

    def _values(self, operation: CompiledOperation, call: Call, names: Sequence[str]) -> list[int]:
        """Return the operands with these names; all other operands have to be constants."""
        found: dict[str, int] = {}
        for index in operation.operation.inputs:
            argument = self._shapes[index]
            if not (argument.constant or argument.omitted):
                found |= {name: index for name in names if call.inputs.get(name) is argument}
                if index not in found.values():
                    raise Unfit("a weight that is no constant")
        if len(found) != len(names):
            raise Unfit("a constant that is no weight")
        return [found[name] for name in names]

    def done(self, loop: Loop) -> list[Part]:
        """Return the run, or its single operations if they are too few."""
        operations = tuple(self._operations)
        if len(operations) < _SHORTEST:
            return list(operations)
        outputs = self._outputs()
        rows, cells = place(self._steps, list(self._inputs.values()), [self._blocks[index] for index in outputs])
        if cells * _CELL > limits.HELD_BYTES:
            return list(operations)
        steps = self._steps
        run = Run(
            operations,
            tuple(operation.kernel for operation in operations),
            tuple((index, steps.starts[block], self._shapes[index]) for index, block in self._inputs.items()),
            tuple((index, steps.starts[self._blocks[index]], self._shapes[index]) for index in outputs),
            tuple(_portions(rows, steps.work)),
            (
                join_constants(steps.constants, np.float32),
                join_constants(steps.doubles, np.float64),
                join_constants(steps.words, np.int64),
            ),
            cells,
            loop,
        )
        return [run]

    def _outputs(self) -> list[int]:
        """Return the operands that are needed after the run."""
        source = self._subgraph.source
        made = {index for operation in self._operations for index in operation.operation.outputs}
        later = source.operations[self._first + len(self._operations) :]
        needed = {*source.output_indexes, *(index for operation in later for index in operation.inputs)}
        return sorted(made & needed)


def _portions(rows: Array, work: Sequence[int]) -> Iterator[Array]:
    """Return the table in parts, between which the clock is checked."""
    first = total = 0
    for index, amount in enumerate(work):
        if total and total + amount > _WORK_AT_ONCE:
            yield rows[first:index]
            first, total = index, 0
        total += amount
    yield rows[first:]


_MACHINE: Final = "nnvet.reference_driver.fused.machine"
"""Module of the compiled functions, imported only when needed: importing it may compile."""


def fuse(compiled: CompiledModel, config: PrepareModelConfig) -> None:
    """Fuse operations of the main subgraph if the client prefers SUSTAINED_SPEED and has set no deadline.

    Such a client executes many frames in a row, so loading the machine code is worth its time: seconds, if it has to be
    compiled first.
    """
    if config.preference != ExecutionPreference.SUSTAINED_SPEED or config.deadline_ns != NO_DEADLINE:
        return
    known = [step.operation.type in STEPS for step in compiled.main.operations]
    if not any(first and second for first, second in pairwise(known)):
        return
    loop = load()
    if loop is not None:
        compiled.main.fused = Fusion(loop)


def make_ready() -> None:
    """Compile the machine code and cache it on the disk, so that no client waits for it; do nothing if it is there."""
    if importlib.util.find_spec("numba") is None or stamp.is_compiled():
        return
    with stamp.lock_compilation() as is_ours:
        # If several services start together, one compiles for all; a service that needs the code sooner compiles it,
        # too.
        if is_ours:
            _make()


def _make() -> None:
    try:
        machine = importlib.import_module(_MACHINE)
    except Exception:  # noqa: BLE001 - as in load(), which reports the error when the code is needed
        return
    folder = machine.run.stats.cache_path
    if folder and load() is not None:
        stamp.record(folder)


@cache
def load() -> Loop | None:
    """Return the compiled function, or None if this machine cannot compile it; operations run one by one then."""
    try:
        loop: Loop = importlib.import_module(_MACHINE).run
        nothing = (np.zeros(t.WIDE, dtype) for dtype in (np.float32, np.float32, np.float64, np.int64))
        loop(np.zeros((0, t.COLUMNS), np.int64), *nothing)
    except ImportError as error:
        _log.info("operations are not put together: %s", error)
    except Exception:  # noqa: BLE001 - see below
        # Another numba, an odd processor, no place for its files: kernels do the work.
        _log.warning("operations are not put together", exc_info=True)
    else:
        return loop
    return None
