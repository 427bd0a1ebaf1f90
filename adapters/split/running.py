"""One execution of a model that is cut into steps: memory for intermediate operands, and the requests of the steps.

A step reads the model's inputs, and writes its outputs, directly in the client's memory. Operands between steps lie in
memory of the execution's own. Where a size is only known after the computation, it is guessed; a step whose guess was
too small is executed again with more memory. :mod:`nnvet.adapters.split.prepared` decides which device runs a step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from nnvet.adapters.calls import execute
from nnvet.adapters.split.assignment import has_known_size
from nnvet.adapters.split.steps import INTERPRETER, SplitStep
from nnvet.hal import types as hal
from nnvet.hal.conversion import execution_at, request_at
from nnvet.hal.enums import NO_DEADLINE, FeatureLevel
from nnvet.hal.errors import failure
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import create_ashmem
from nnvet.hal.operand_types import combine, fully_known, is_tensor
from nnvet.hal.validation.operands import byte_size

ALIGNMENT: Final = 64
"""Intermediate operands begin at multiples of this many bytes."""
_SYNCHRONOUS_LEVEL: Final = FeatureLevel.FL3
"""First level that has synchronous executions."""
_DEADLINE_LEVEL: Final = FeatureLevel.FL4
"""First level that has deadlines."""
_MOST_GUESSED: Final = 2**31
"""The largest size in bytes that is guessed; a device that wants more fails."""


class ZeroBorderError(Exception):
    """Raised if an operand without elements would cross a border: no request can express it."""


class BorderPlace(NamedTuple):
    """The piece of memory of an operand."""

    memory: hal.Memory | hal.BufferToken
    offset: int
    length: int
    padding: int = 0


@dataclass(frozen=True)
class CutModel:
    """A model, its steps, and the memory plan that is made before anything runs.

    ``element_bytes`` are the sizes of elements of extension types. ``static`` are the offsets of the intermediate
    operands of known size, in one piece of memory of ``static_bytes``.
    """

    model: hal.Model
    steps: tuple[SplitStep, ...]
    levels: tuple[FeatureLevel, ...]
    element_bytes: Mapping[int, int]
    static: Mapping[int, int] = field(default_factory=dict)
    static_bytes: int = 0
    last_step_to_read: Mapping[int, int] = field(default_factory=dict)
    written: frozenset[int] = frozenset()
    """Operands that steps write."""
    locked: set[int] = field(default_factory=set)
    """Devices that a planted fault keeps locked."""

    def is_read_after(self, operand: int, number: int) -> bool:
        """Return True if a later step than ``number`` reads an operand."""
        return self.last_step_to_read.get(operand, number) > number

    def level_of(self, device: int) -> FeatureLevel:
        """Return the level of a device, by number; the interpreter supports every level."""
        return FeatureLevel.FL8 if device == INTERPRETER else self.levels[device]

    def size(self, operand: int, dimensions: Sequence[int]) -> int:
        """Return the size in bytes of an operand of the main subgraph with these dimensions."""
        kind = self.model.main.operands[operand].type
        if kind not in self.element_bytes:
            return byte_size(kind, tuple(dimensions) if is_tensor(kind) else ())
        size = self.element_bytes[kind]
        for dimension in dimensions:
            size *= dimension
        return size


def cut_model(
    model: hal.Model,
    steps: Sequence[SplitStep],
    levels: Sequence[FeatureLevel],
    element_bytes: Mapping[int, int],
    *,
    stride: Callable[[int], int] = lambda size: size,
) -> CutModel:
    """Plan the memory of intermediate operands of known size; ``stride`` returns the space for a size in bytes."""
    operands = model.main.operands
    bare = CutModel(model, tuple(steps), tuple(levels), element_bytes)
    listed = {*model.main.input_indexes, *model.main.output_indexes}
    static, end = {}, 0
    for step in steps:
        for index in step.outputs:
            if index in listed or not has_known_size(operands[index]):
                continue
            static[index] = end
            end += -(-stride(bare.size(index, operands[index].dimensions)) // ALIGNMENT) * ALIGNMENT
    last = {index: number for number, step in enumerate(steps) for index in step.inputs}
    # A planted fault gives too little space, but even then no operand reaches beyond the memory.
    capacity = max((static[index] + bare.size(index, operands[index].dimensions) for index in static), default=0)
    written = frozenset([index for step in steps for index in step.outputs])
    return CutModel(model, bare.steps, bare.levels, element_bytes, static, max(end, capacity), last, written)


class SplitRun:
    """One execution. Only ``guesses``, sizes of operands in bytes, are shared with the next execution."""

    def __init__(
        self,
        cut: CutModel,
        request: hal.Request,
        config: hal.ExecutionConfig,
        deadline_ns: int,
        guesses: dict[int, int],
    ) -> None:
        """Take the arguments of a valid request, and allocate the intermediate operands of known size."""
        self.cut = cut
        self._given = request
        self._config = config
        self._deadline_ns = deadline_ns
        self._guesses = guesses
        self._times: list[int] = []
        main = cut.model.main
        self.omitted: set[int] = set()
        self.places: dict[int, BorderPlace] = {}
        """Memory of the operands that have any, by index."""
        self.dimensions: dict[int, tuple[int, ...]] = {}
        """Dimensions of operands, as far as they are known."""
        self.of_failed: dict[int, bytes] = {}
        """Outputs of a device that has failed, for a planted fault."""
        self.too_small: set[int] = set()
        """Outputs of the model that do not fit into the client's memory."""
        for indexes, arguments in ((main.input_indexes, request.inputs), (main.output_indexes, request.outputs)):
            for index, argument in zip(indexes, arguments, strict=True):
                self._take(index, argument, request)
        if cut.static:
            memory = create_ashmem(cut.static_bytes)
            for index, offset in cut.static.items():
                dimensions = main.operands[index].dimensions
                self.places[index] = BorderPlace(memory, offset, cut.size(index, dimensions))
                self.dimensions[index] = dimensions

    def _take(self, index: int, argument: hal.RequestArgument, request: hal.Request) -> None:
        operand, location = self.cut.model.main.operands[index], argument.location
        self.dimensions[index] = combine(operand.dimensions, argument.dimensions) or ()
        if argument.has_no_value:
            self.omitted.add(index)
        else:
            pool = request.pools[location.pool_index]
            self.places[index] = BorderPlace(pool, location.offset, location.length, location.padding)

    def run_step(self, number: int, prepared: PreparedModel, level: FeatureLevel) -> None:
        """Execute a step on a device of this level; repeat it with more memory if there was too little.

        :raises HalError: the device fails, or its answer is impossible.
        :raises ZeroBorderError: the step would read an operand without elements from another step.
        """
        step = self.cut.steps[number]
        self._check_inputs(step)
        while True:
            for index in step.outputs:
                self._provide(number, index)
            result = self._execute(step, prepared, level)
            if self._learn_shapes(number, result):
                self._times.append(result.timing.time_on_device_ns)
                return

    def _execute(self, step: SplitStep, prepared: PreparedModel, level: FeatureLevel) -> hal.ExecutionResult:
        request = request_at(self._make_request(step), step.model, level)
        config = execution_at(self._config, level)
        if level < _SYNCHRONOUS_LEVEL:
            return execute(prepared, request, config)
        return prepared.execute_synchronously(
            request, config, self._deadline_ns if level >= _DEADLINE_LEVEL else NO_DEADLINE
        )

    def result(self) -> hal.ExecutionResult:
        """Return the answer to the client, once all steps have run."""
        shapes = tuple(
            hal.OutputShape(self.dimensions[index], index not in self.too_small)
            for index in self.cut.model.main.output_indexes
        )
        measured = self._config.measure_timing and hal.NO_TIMING not in self._times
        timing = hal.Timing(time_on_device_ns=sum(self._times)) if measured and not self.too_small else hal.Timing()
        return hal.ExecutionResult(not self.too_small, shapes, timing)

    def _check_inputs(self, step: SplitStep) -> None:
        for index in step.inputs:
            if index in self.cut.written and 0 in self.dimensions[index]:
                raise ZeroBorderError(index)

    def _provide(self, number: int, index: int) -> None:
        """Allocate an output of a step that has no memory: its size is unknown, or the client omits it."""
        if index in self.places or (index in self.omitted and not self.cut.is_read_after(index, number)):
            return
        dimensions = self.dimensions.setdefault(index, self.cut.model.main.operands[index].dimensions)
        is_scalar = not is_tensor(self.cut.model.main.operands[index].type)
        known = self.cut.size(index, dimensions) if is_scalar or fully_known(dimensions) else 0
        size = max(known or self._guesses.get(index, 0), 1)
        self.places[index] = BorderPlace(create_ashmem(size), 0, size)

    def _make_request(self, step: SplitStep) -> hal.Request:
        if step.model is self.cut.model and not self.too_small:
            # Use the same object each time: devices recognise by it pools that they have checked and mapped before.
            return self._given
        pools: list[hal.Memory | hal.BufferToken] = []
        numbers: dict[int, int] = {}

        def argument(index: int) -> hal.RequestArgument:
            if index not in self.places:
                return hal.RequestArgument(has_no_value=True)
            place = self.places[index]
            if id(place.memory) not in numbers:
                numbers[id(place.memory)] = len(pools)
                pools.append(place.memory)
            where = hal.DataLocation(numbers[id(place.memory)], place.offset, place.length, place.padding)
            return hal.RequestArgument(location=where, dimensions=self._choose_dimensions(index))

        inputs = tuple([argument(index) for index in step.inputs])
        outputs = tuple([argument(index) for index in step.outputs])
        return hal.Request(inputs, outputs, tuple(pools))

    def _choose_dimensions(self, index: int) -> tuple[int, ...]:
        """Return the dimensions for a request: only those that the model does not state."""
        operand, known = self.cut.model.main.operands[index], self.dimensions[index]
        return () if not is_tensor(operand.type) or known == operand.dimensions else known

    def _learn_shapes(self, number: int, result: hal.ExecutionResult) -> bool:
        """Learn the shapes of a step's outputs; return False if it has to run again with more memory.

        :raises HalError: GENERAL_FAILURE for an impossible shape, or if more memory would not help.
        """
        step = self.cut.steps[number]
        shapes = result.output_shapes or (hal.OutputShape(()),) * len(step.outputs)
        if len(shapes) != len(step.outputs):
            raise failure(f"{len(shapes)} shapes for {len(step.outputs)} outputs", "driver/reply")
        is_larger = False
        for index, shape in zip(step.outputs, shapes, strict=True):
            operand = self.cut.model.main.operands[index]
            combined = combine(self.dimensions.get(index, operand.dimensions), shape.dimensions)
            if combined is None:
                raise failure(
                    f"operand {index} has shape {shape.dimensions}, known is {self.dimensions[index]}",
                    "execution/output.dimensions",
                )
            self.dimensions[index] = combined if is_tensor(operand.type) else ()
            if index not in self.places:
                continue
            if shape.is_sufficient:
                self._shorten(index)
            else:
                self._enlarge(index)
                is_larger = True
        if not result.output_sufficient_size:
            if not is_larger:
                raise failure("no output is named that is too small", "driver/reply")
            return False
        for index in step.outputs:
            self._settle(index, number)
        return True

    def _enlarge(self, index: int) -> None:
        place, dimensions = self.places[index], self.dimensions[index]
        size = self.cut.size(index, dimensions) if fully_known(dimensions) else 2 * place.length
        if size <= place.length or size > _MOST_GUESSED or index in self.cut.static:
            raise failure(f"operand {index} does not fit into {place.length} bytes of {size}", "driver/reply")
        if index in self.cut.model.main.output_indexes and index not in self.omitted:
            self.too_small.add(index)
        self.places[index] = BorderPlace(create_ashmem(size), 0, size)

    def _shorten(self, index: int) -> None:
        """Reduce the length of an operand to its dimensions: a request with any other length is invalid."""
        operand, dimensions, place = self.cut.model.main.operands[index], self.dimensions[index], self.places[index]
        if not is_tensor(operand.type) or fully_known(dimensions):
            size = self.cut.size(index, dimensions)
            if size < place.length:
                self.places[index] = place._replace(length=size, padding=0)

    def _settle(self, index: int, number: int) -> None:
        """Remember the size of an operand that a later step reads.

        :raises HalError: GENERAL_FAILURE if the device has not reported the shape.
        """
        if not self.cut.is_read_after(index, number) or 0 in self.dimensions[index]:
            return
        operand, dimensions = self.cut.model.main.operands[index], self.dimensions[index]
        if is_tensor(operand.type) and not fully_known(dimensions):
            raise failure(f"the dimensions {dimensions} of operand {index} stay unknown", "driver/reply")
        self._guesses[index] = self.cut.size(index, dimensions)
