"""A device that is implemented by a runtime, such as LiteRT: it claims the operations of its table.

The device builds a program for each set of shapes. A runtime may run operations that its accelerator does not take on
its own CPU kernels, without a message. Such results say nothing about the accelerator. So the device finds out who
computes each node, and supports an operation only if the accelerator takes its nodes (:class:`Accelerator`). Nodes that
the adapter adds around these, such as casts and transpositions, may run on the CPU.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import msgspec

from nnvet.adapters.runtimes.claims import Graph, Table, execute_graph, model_constants, read_graph
from nnvet.adapters.selector import take_choice
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.errors import HalError, failure
from nnvet.hal.operand_types import fully_known, type_info
from nnvet.hal.operations.declaration import Call
from nnvet.hal.types import ErrorStatus, Model, OperandType, PrepareModelConfig
from nnvet.reports.events import OR_CPU

FALLBACKS: Final = ("none", "cpu")
"""Values of the option ``fallback``; the first is the default."""

_ADDED: Final = (
    frozenset({"CAST"}),
    frozenset({"QUANTIZE", "QUANTIZELINEAR", "DEQUANTIZE", "DEQUANTIZELINEAR"}),
    frozenset({"TRANSPOSE", "RESHAPE", "PAD"}),
)
"""Operators that adapters add around an operation's own ones, beginning with those that are never its own."""


def take_fallback(kind: str, options: dict[str, str]) -> bool:
    """Remove the option ``fallback``; return True if the CPU may compute nodes that the accelerator refuses.

    :raises SelectorError: for another value than none and cpu.
    """
    return take_choice(kind, options, "fallback", FALLBACKS) == "cpu"


@dataclass(frozen=True)
class RuntimeNode:
    """A node of a runtime's program: the position of its operation in the graph, its operator, and True if taken."""

    place: int
    operator: str
    is_taken: bool


@dataclass(frozen=True)
class Accelerator:
    """The accelerator under test: ``name`` in words, such as "the delegate lib.so", and the name of the fallback.

    If it ``may_fall_back``, the fallback may compute nodes that the accelerator refuses, and this is not checked.
    """

    name: str
    others: str = "CPU kernels"
    may_fall_back: bool = False

    def refusals(self, nodes: Sequence[RuntimeNode], places: Iterable[int]) -> dict[int, str]:
        """Return the reasons why the accelerator does not compute operations, by their places in the graph."""
        reasons = {place: self._refusal([node for node in nodes if node.place == place]) for place in places}
        return {place: reason for place, reason in reasons.items() if reason}

    def computed_by(self, nodes: Sequence[RuntimeNode]) -> str:
        """Return text that names the processors of a program, and the nodes that the accelerator does not compute."""
        if self.may_fall_back:
            return f"{self.name}{OR_CPU}"
        beside = sorted({node.operator for node in nodes if not node.is_taken})
        return f"{self.name}, beside it {self.others}: {', '.join(beside)}" if beside else self.name

    def _refusal(self, nodes: Sequence[RuntimeNode]) -> str:
        if not nodes:
            return "no node stands for it: there is nothing to compute"
        meant = _select_own_nodes(nodes)
        left = sorted({node.operator for node in meant if not node.is_taken})
        if not left:
            return ""
        taken = sum(node.is_taken for node in meant)
        return f"{self.name} takes {taken} of {len(meant)} nodes; {', '.join(left)} would run on {self.others}"


def _select_own_nodes(nodes: Sequence[RuntimeNode]) -> list[RuntimeNode]:
    """Return an operation's own nodes: a RESHAPE beside an ARG_MAX was added, but it is EXPAND_DIMS's own node."""
    ranks = [_rank(node.operator) for node in nodes]
    return [node for node, rank in zip(nodes, ranks, strict=True) if rank == max(ranks)]


def _rank(operator: str) -> int:
    """Return the place of an operator in :data:`_ADDED`: the higher, the likelier it is an operation's own."""
    return next((rank for rank, names in enumerate(_ADDED) if operator.upper() in names), len(_ADDED))


_PROGRAMS_KEPT: Final = 4
"""Most programs, one for each set of input shapes, that a prepared model keeps."""
_MOST_BYTES: Final = 2**30
"""Most bytes of all operands of a graph together, since runtimes allocate all of them at once."""
Shapes = tuple[tuple[int, ...] | None, ...]
"""Shapes of all inputs; None for an input without value."""


class Program(Protocol):
    """A model that a runtime has compiled for one set of input shapes; used by one thread at a time."""

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Return outputs of the main subgraph.

        :raises HalError: GENERAL_FAILURE if the runtime fails.
        """

    def nodes(self) -> Sequence[RuntimeNode]:
        """Return the nodes of the program, in order; this is called for accelerators only.

        :raises HalError: GENERAL_FAILURE if the runtime does not report which processor computes them.
        """


class RuntimeDevice(BaseDevice):
    """A device of one table and one function that builds programs."""

    def __init__(
        self,
        table: Table[Any],
        build: Callable[[Graph], Program],
        name: str,
        version: str,
        *,
        copies_inputs: bool = False,
        accelerator: Accelerator | None = None,
        float32_if_relaxed: bool = False,
    ) -> None:
        """Set name and version; ``copies_inputs`` means that programs copy inputs that must not change.

        Without an ``accelerator`` the runtime itself is the driver under test. ``float32_if_relaxed`` means that 32-bit
        floats are computed with 16-bit precision, which a model has to allow.
        """
        self.float32_if_relaxed = float32_if_relaxed
        self.copies_inputs = copies_inputs
        self.accelerator = accelerator
        self.last_answer: _Answer | None = None
        self.table = table
        self.build = build
        self.name = name
        self.version = version

    def plan(self, model: Model) -> _RuntimePlan:
        """Check every operation by the table, and find out by compiling which claimed ones the accelerator takes."""
        if self.accelerator is None or self.accelerator.may_fall_back:
            return _RuntimePlan(self, model)
        return _AskingPlan(self, model, self.accelerator)


class _RuntimePlan:
    """The table's answers about a model."""

    def __init__(self, device: RuntimeDevice, model: Model) -> None:
        self._device = device
        self._model = model
        graph = read_graph(model)
        self.reasons = [
            reason or ("" if call is None else self._imprecise(graph, call))
            for reason, call in zip(device.table.refusals(graph), graph.calls, strict=True)
        ]

    @property
    def supported(self) -> tuple[bool, ...]:
        """True for each operation against which there is no reason."""
        return tuple([not reason for reason in self.reasons])

    @property
    def refusal(self) -> str:
        """Reason of the first operation that is not supported."""
        return next((reason for reason in self.reasons if reason), "")

    def _imprecise(self, graph: Graph, call: Call) -> str:
        """Return the reason why the accelerator's precision is too low for a call; empty if it is not."""
        operands = (*call.inputs.values(), *call.variadic, *call.outputs)
        if graph.relaxed or not self._device.float32_if_relaxed:
            return ""
        if all(operand.type != OperandType.TENSOR_FLOAT32 for operand in operands):
            return ""
        return "it computes 32-bit floats with the precision of 16 bits, and the model is not relaxed"

    def compile(self, config: PrepareModelConfig) -> RuntimePrepared:
        """Copy the constants; a program is built at once if the shapes of all inputs are declared."""
        del config
        prepared = RuntimePrepared(self._model, self._device.build)
        prepared.copies_inputs = self._device.copies_inputs
        if self._device.accelerator is not None:
            prepared.computed_by = self._device.accelerator.computed_by(())
        prepared.build_declared()
        return prepared


@dataclass
class _Answer:
    """Cache of an accelerator's answer about a model: the reasons, and the program that was compiled to find them.

    ``compiled`` holds at most one program, which can serve only one prepared model, so its user pops it.
    """

    contents: bytes
    reasons: list[str]
    shapes: Shapes = ()
    compiled: deque[Program] = field(default_factory=deque)
    computed_by: str = ""


class _AskingPlan(_RuntimePlan):
    """The plan of a model on an accelerator. The last answer is kept, because a preparation often follows the query."""

    def __init__(self, device: RuntimeDevice, model: Model, accelerator: Accelerator) -> None:
        super().__init__(device, model)
        self._accelerator = accelerator
        if all(self.reasons):
            return
        try:
            self._constants = model_constants(model)
        except HalError as error:
            self._refuse(error.message)
            return
        contents, kept = _hash_contents(model, self._constants), device.last_answer
        if kept is None or kept.contents != contents:
            kept = device.last_answer = self._ask(contents)
        self._answer = kept
        self.reasons = kept.reasons

    def compile(self, config: PrepareModelConfig) -> RuntimePrepared:
        """Return a prepared model with the program that was compiled for the answer, or with another one like it."""
        del config
        prepared = RuntimePrepared(self._model, self._build)
        prepared.copies_inputs = self._device.copies_inputs
        prepared.computed_by = self._answer.computed_by
        try:
            # If two preparations come at once, only one of them gets the program, because ``pop`` is atomic.
            program = self._answer.compiled.pop()
        except IndexError:
            prepared.build_declared()
        else:
            prepared.adopt(self._answer.shapes, program)
        return prepared

    def _ask(self, contents: bytes) -> _Answer:
        answer = _Answer(contents, self.reasons)
        shapes = declared_shapes(self._model)
        if shapes is None:
            self._refuse(f"{self._accelerator.name} can be asked only about inputs whose shapes are declared")
            return answer
        try:
            graph = execute_graph(self._model, self._constants, shapes)
            _check_size(graph)
        except HalError as error:
            self._refuse(f"{self._accelerator.name} can be asked only about what can be executed: {error.message}")
            return answer
        if any(self.reasons):
            for place, reason in enumerate(self.reasons):
                if not reason:
                    self.reasons[place] = self._taken(graph.alone(place), [0])[0].get(0, "")
            return answer
        refusals, program, nodes = self._taken(graph, range(len(self.reasons)))
        for place, reason in refusals.items():
            self.reasons[place] = reason
        answer.shapes = shapes
        answer.compiled.extend([] if program is None or refusals else [program])
        answer.computed_by = self._accelerator.computed_by(nodes)
        return answer

    def _taken(
        self, graph: Graph, places: Sequence[int]
    ) -> tuple[dict[int, str], Program | None, Sequence[RuntimeNode]]:
        """Return refusals by place, the program and its nodes; a graph that cannot be compiled is refused whole."""
        try:
            program = self._device.build(graph)
            nodes = program.nodes()
        except HalError as error:
            return dict.fromkeys(places, f"{self._accelerator.name} does not take it: {error.message}"), None, ()
        return self._accelerator.refusals(nodes, places), program, nodes

    def _refuse(self, reason: str) -> None:
        for place, known in enumerate(self.reasons):
            self.reasons[place] = known or reason

    def _build(self, graph: Graph) -> Program:
        """Return the program of an execution.

        :raises HalError: GENERAL_FAILURE if the accelerator does not take it although it took the declared shapes.
        """
        refusals, program, _ = self._taken(graph, [place for place, _, _ in graph.numbered()])
        if program is None or refusals:
            raise failure("; ".join(sorted(set(refusals.values()))), "driver/operation.supported")
        return program


def _hash_contents(model: Model, constants: Mapping[int, Array]) -> bytes:
    """Return a digest of all that a program depends on."""
    # Codes of extensions are integers of a class that has a name as well.
    described = msgspec.msgpack.encode((model.main, model.relax_computation_float32_to_float16), enc_hook=int)
    digest = hashlib.sha256(described)
    for index, value in constants.items():
        digest.update(b"%d:" % index + value.tobytes())
    return digest.digest()


def declared_shapes(model: Model) -> Shapes | None:
    """Return the shapes of all inputs of the model; None if one is not fully declared."""
    operands = [model.main.operands[index] for index in model.main.input_indexes]
    if not all(fully_known(operand.dimensions) or not type_info(operand.type).is_tensor for operand in operands):
        return None
    return tuple([operand.dimensions for operand in operands])


class RuntimePrepared(BasePreparedModel):
    """A prepared model with a program for each of the last sets of input shapes.

    ``computed_by`` names the processors that compute it, if there is an accelerator.
    """

    computed_by: str = ""

    def __init__(self, model: Model, build: Callable[[Graph], Program]) -> None:
        """Copy all constants.

        :raises HalError: GENERAL_FAILURE if a pool cannot be mapped.
        """
        super().__init__(model)
        self._constants = model_constants(model)
        self._build = build
        self._programs: OrderedDict[Shapes, Program] = OrderedDict()
        self._busy = threading.Lock()

    def build_declared(self) -> None:
        """Build the program for the declared shapes, if all are known; broken rules are left for executions to find.

        :raises HalError: the runtime does not take it.
        """
        shapes = declared_shapes(self.model)
        if shapes is None:
            return
        try:
            graph = execute_graph(self.model, self._constants, shapes)
            _check_size(graph)
        except HalError:
            return
        self._programs[shapes] = self._build(graph)

    def adopt(self, shapes: Shapes, program: Program) -> None:
        """Use ``program``, which has no other user, for executions of these shapes."""
        self._programs[shapes] = program

    @property
    def programs(self) -> tuple[Program, ...]:
        """Return the cached programs, the latest last."""
        return tuple(self._programs.values())

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """Run the program for the shapes of ``inputs``; executions of one prepared model run one after the other.

        :raises HalError: the execution fails.
        """
        shapes = tuple([None if array is None else array.shape for array in inputs])
        with self._busy:
            return self._program(shapes).run(inputs)

    def _program(self, shapes: Shapes) -> Program:
        program = self._programs.get(shapes)
        if program is None:
            graph = execute_graph(self.model, self._constants, shapes)
            _check_size(graph)
            program = self._build(graph)
            if len(self._programs) >= _PROGRAMS_KEPT:
                self._programs.popitem(last=False)
            self._programs[shapes] = program
        else:
            self._programs.move_to_end(shapes)
        return program


def _check_size(graph: Graph) -> None:
    """Refuse a graph that takes more memory than any real model needs.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT.
    """
    size = sum(
        math.prod(argument.dimensions) * type_info(argument.type).size
        for argument in graph.arguments
        if not argument.constant
    )
    if size > _MOST_BYTES:
        status = ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT
        raise HalError(status, f"the operands take {size} bytes, more than {_MOST_BYTES}", "execution/memory")
