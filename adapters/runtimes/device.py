"""A device that a runtime stands behind: it claims what its table says, and builds a program for each set of shapes."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from nnvet.adapters.runtimes.claims import Table
from nnvet.adapters.runtimes.graph import Graph, declared_graph, executed_graph, model_constants
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.dimensions import fully_known
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model, PrepareModelConfig

_PROGRAMS_KEPT: Final = 4
_MOST_BYTES: Final = 2**30
"""All operands of a graph together may take so much; runtimes have memory for all of them at once, or try to."""
Shapes = tuple[tuple[int, ...] | None, ...]


class Program(Protocol):
    """A model that a runtime has compiled for one set of input shapes; used by one thread at a time."""

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Outputs of the main subgraph.

        :raises HalError: GENERAL_FAILURE if the runtime fails.
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
    ) -> None:
        """Be called ``name`` and ``version``; ``copies_inputs``: programs copy what must not change."""
        self.copies_inputs = copies_inputs
        self.table = table
        self.build = build
        self.name = name
        self.version = version

    def plan(self, model: Model) -> _RuntimePlan:
        """Look at every operation by the table."""
        return _RuntimePlan(self, model)


class _RuntimePlan:
    """What the table says of a model."""

    def __init__(self, device: RuntimeDevice, model: Model) -> None:
        self._device = device
        self._model = model
        calls = declared_graph(model).calls
        self.supported = tuple([call is not None and not device.table.refusal(call) for call in calls])

    def compile(self, config: PrepareModelConfig) -> RuntimePrepared:
        """Copy the constants; a program is built at once if the shapes of all inputs are declared."""
        del config
        prepared = RuntimePrepared(self._model, self._device.build)
        prepared.copies_inputs = self._device.copies_inputs
        prepared.build_declared()
        return prepared


class RuntimePrepared(BasePreparedModel):
    """A prepared model with a program for each of the last sets of input shapes."""

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
        """Build the program for the declared shapes, if all are known; a broken rule is the executions' to find.

        :raises HalError: the runtime does not take it.
        """
        operands = [self.model.main.operands[index] for index in self.model.main.input_indexes]
        if not all(fully_known(one.dimensions) or not type_info(one.type).is_tensor for one in operands):
            return
        shapes = tuple([one.dimensions for one in operands])
        try:
            graph = executed_graph(self.model, self._constants, shapes)
            _check_size(graph)
        except HalError:
            return
        self._programs[shapes] = self._build(graph)

    @property
    def programs(self) -> tuple[Program, ...]:
        """Those that are kept, the latest last."""
        return tuple(self._programs.values())

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """Run the program for the shapes of ``inputs``; executions of one prepared model follow one another.

        :raises HalError: as the execution is to fail.
        """
        shapes = tuple([None if one is None else one.shape for one in inputs])
        with self._busy:
            return self._program(shapes).run(inputs)

    def _program(self, shapes: Shapes) -> Program:
        program = self._programs.get(shapes)
        if program is None:
            graph = executed_graph(self.model, self._constants, shapes)
            _check_size(graph)
            program = self._build(graph)
            if len(self._programs) >= _PROGRAMS_KEPT:
                self._programs.popitem(last=False)
            self._programs[shapes] = program
        else:
            self._programs.move_to_end(shapes)
        return program


def _check_size(graph: Graph) -> None:
    """Refuse what takes more memory than any model has a use for.

    :raises HalError: RESOURCE_EXHAUSTED_PERSISTENT.
    """
    size = sum(math.prod(one.dimensions) * type_info(one.type).size for one in graph.arguments if not one.constant)
    if size > _MOST_BYTES:
        status = ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT
        raise HalError(status, f"the operands take {size} bytes, more than {_MOST_BYTES}", "execution/memory")
