"""Random models, executed so that two devices can be compared, and devices that fail now and then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nnvet.adapters.calls import prepare
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import declared
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.graphs.hal_model import build_model, close_pools, create_pool
from nnvet.graphs.model import TestModel
from nnvet.hal.enums import MAXIMUM_LOOP_TIMEOUT_DURATION_NS, NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import fully_known, type_info
from nnvet.hal.types import (
    Ashmem,
    DataLocation,
    ExecutionConfig,
    ExecutionResult,
    Model,
    OutputShape,
    PrepareModelConfig,
    Request,
    RequestArgument,
)
from nnvet.hal.validation.operands import byte_size

KNOWN = GraphOptions(operations=(2, 12), dimensions=(1, 5), elements=300, outputs=4)
OPEN = replace(KNOWN, unknown=0.5)
"""Half of the dimensions are known only at execution."""
CAPACITY = 1 << 15
"""Bytes for an output of unknown size: no output of these models is larger."""


@dataclass(frozen=True)
class Network:
    """A random model as a device gets it, and the same model with all dimensions."""

    given: TestModel
    full: TestModel


def network(seed: int, options: GraphOptions = KNOWN) -> Network:
    """The model of a seed."""
    full = random_model(SeededChooser(f"split/{seed}"), options)
    return Network(declared(full, options) or full, full)


@dataclass(frozen=True)
class Answer:
    """Everything that a client can see of an execution but for the time."""

    status: str
    shapes: tuple[OutputShape, ...] = ()
    outputs: tuple[bytes, ...] = ()


def answer_of(
    device: Device, tested: Network, *, runs: int = 1, capacity: int = CAPACITY, measured: bool = False
) -> Answer:
    """The last one of several executions on one prepared model."""
    model = build_model(tested.given)
    try:
        prepared = prepare(device, model, PrepareModelConfig())
        return [executed(prepared, tested, capacity, measured=measured) for _ in range(runs)][-1]
    except HalError as error:
        return Answer(error.status.name)
    finally:
        close_pools(model)


def executed(prepared: PreparedModel, tested: Network, capacity: int = CAPACITY, *, measured: bool = False) -> Answer:
    """One execution.

    :raises HalError: as the device fails.
    """
    inputs, buffers, end = list[RequestArgument](), list[tuple[int, bytes]](), 0
    for operand in tested.full.main.inputs:
        data = b"" if operand.data is None else operand.data.tobytes()
        dimensions = operand.dimensions if type_info(operand.type).is_tensor else ()
        location = DataLocation(0, end, len(data))
        inputs.append(
            RequestArgument(location=location, dimensions=dimensions) if data else RequestArgument(has_no_value=True)
        )
        buffers.append((end, data))
        end += -(-len(data) // 64) * 64
    outputs = []
    for number, operand in enumerate(tested.given.main.outputs):
        is_known = not type_info(operand.type).is_tensor or fully_known(operand.dimensions)
        size = byte_size(operand.type, operand.dimensions) if is_known else capacity
        outputs.append(RequestArgument(location=DataLocation(1, number * CAPACITY, size)))
    written = create_pool(CAPACITY * len(outputs), ())
    request = Request(tuple(inputs), tuple(outputs), (create_pool(end, buffers), written))
    try:
        config = ExecutionConfig(measured, MAXIMUM_LOOP_TIMEOUT_DURATION_NS)
        result = prepared.execute_synchronously(request, config, NO_DEADLINE)
        return Answer("NONE", result.output_shapes, _outputs(written, tested, result))
    finally:
        close_pools(request)


def _outputs(pool: Ashmem, tested: Network, result: ExecutionResult) -> tuple[bytes, ...]:
    if not result.output_sufficient_size:
        return ()
    with mapped(pool, writable=False) as view:
        return tuple(
            bytes(view[number * CAPACITY :][: byte_size(operand.type, shape.dimensions)])
            for number, (operand, shape) in enumerate(zip(tested.given.main.outputs, result.output_shapes, strict=True))
        )


class CountingDevice(BaseDevice):
    """Wraps a device; counts its executions from 0 on, and lets those fail whose number ``fails`` accepts.

    Before it fails it writes rubbish into all outputs. Preparations fail where ``refuses`` says so of theirs.
    """

    def __init__(
        self,
        inner: Device,
        fails: Callable[[int], bool] = lambda _: False,
        refuses: Callable[[int], bool] = lambda _: False,
    ) -> None:
        """Stand for ``inner``."""
        self._inner = inner
        self._refuses = refuses
        self.fails = fails
        self.name = "counting"
        self.capabilities = inner.get_capabilities()
        self.models: list[Model] = []
        self.requests: list[Request] = []
        self.executions: list[int] = []
        """Of each execution, in order, the number of its model."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """The inner device's answer."""
        return self._inner.get_supported_operations(model)

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: object) -> None:
        """Have the inner device prepare it.

        :raises HalError: it is this preparation's turn to fail.
        """
        number = len(self.models)
        self.models.append(model)
        if self._refuses(number):
            raise failure("refused for a test", "prepare/supported")
        callback.notify(ErrorStatus.NONE, _CountingModel(self, number, prepare(self._inner, model, config)))  # type: ignore[attr-defined]


class _CountingModel(BasePreparedModel):
    def __init__(self, device: CountingDevice, number: int, inner: PreparedModel) -> None:
        super().__init__(device.models[number])
        self._device = device
        self._number = number
        self._inner = inner

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Execute, or write rubbish and fail."""
        turn = len(self._device.executions)
        self._device.executions.append(self._number)
        self._device.requests.append(request)
        if not self._device.fails(turn):
            return self._inner.execute_synchronously(request, config, deadline_ns)
        for argument in request.outputs:
            location = argument.location
            if not argument.has_no_value:
                with mapped(request.pools[location.pool_index]) as view:  # type: ignore[arg-type]
                    view[location.offset : location.offset + location.length] = b"\x5a" * location.length
        raise failure("fails for a test", "execution/status")
