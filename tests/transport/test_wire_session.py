"""Sessions: calls, errors, objects and their lifetimes, notifications, many threads."""

import gc
import threading
import weakref
from collections.abc import Sequence
from typing import Any, Never

import pytest

from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Buffer, PreparedModel, PreparedModelCallback
from nnvet.hal.memory import close, create_ashmem
from nnvet.hal.types import (
    BufferDesc,
    BufferRole,
    DeviceType,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    Handle,
    Model,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Timing,
)
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from nnvet.transport.wire.methods import METHODS
from tests.transport.wire_sessions import PATIENCE_S, Callback, check_descriptors, open_descriptors, session_with

# docs/contract/hal.md 10.1 and 10.4 to 10.7, in their newest form; getStatus exists in HIDL only. The service's methods
# belong to the wire, and so does what a burst has beside its queues (docs/contract/hal.md 12.3: getMemories,
# freeMemory).
CONTRACT_METHODS = {
    "Device": (
        "name get_feature_level get_version_string get_type get_capabilities get_supported_extensions "
        "get_number_of_cache_files_needed get_supported_operations prepare_model prepare_model_from_cache allocate"
    ),
    "PreparedModel": (
        "execute execute_synchronously execute_fenced create_reusable_execution configure_execution_burst"
    ),
    "Execution": "execute_synchronously execute_fenced",
    "Burst": "execute_synchronously release_memory_resource",
    "Buffer": "copy_to copy_from",
    "FencedExecutionCallback": "get_execution_info",
    "PreparedModelCallback": "notify",
    "ExecutionCallback": "notify",
    "Service": "open_lane settle open_client open_burst open_execution",
    "SettledCallback": "notify",
    "MemoriesCallback": "notify",
    "BurstContext": "free_memory supply_memories explain",
}


class EchoModel(BasePreparedModel):
    """Answers with the number of pools, which are all it looks at."""

    def execute_synchronously(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """As many outputs as pools, the deadline as the timing."""
        del config
        return ExecutionResult(True, tuple(OutputShape((n,)) for n in range(len(request.pools))), Timing(deadline_ns))


class EchoBuffer:
    """Device memory that refuses everything."""

    def copy_to(self, destination: object) -> None:
        """Refuse with a status that a copy cannot have."""
        del destination
        raise HalError(ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "no memory", "buffer/memory")

    def copy_from(self, source: object, dimensions: Sequence[int]) -> None:
        """Refuse with a status that is none."""
        raise HalError(ErrorStatus.NONE, f"{source} {dimensions}", "")


class EchoDevice(BaseDevice):
    """Keeps what it was given."""

    def __init__(self) -> None:
        """Start without models."""
        self.models: list[weakref.ref[EchoModel]] = []
        self.seen: list[Any] = []

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything."""
        del model, operation
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """A model that is remembered weakly."""
        del config
        prepared = EchoModel(model)
        self.models.append(weakref.ref(prepared))
        return prepared

    def allocate(
        self,
        desc: BufferDesc,
        prepared_models: Sequence[PreparedModel],
        input_roles: Sequence[BufferRole],
        output_roles: Sequence[BufferRole],
    ) -> tuple[Buffer, int]:
        """A buffer, for whatever arguments."""
        self.seen.append((desc, prepared_models, input_roles, output_roles))
        return EchoBuffer(), 12


class KeepsCallbacks(EchoDevice):
    """Never lets go of a callback."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
        """Keep it and go on."""
        self.seen.append(callback)
        super().prepare_model(model, config, callback)


class Stuck(EchoDevice):
    """Its type comes when ``go`` is set."""

    def __init__(self) -> None:
        """Not yet."""
        super().__init__()
        self.go = threading.Event()

    def get_type(self) -> DeviceType:
        """Wait."""
        self.go.wait()
        return DeviceType.GPU


def prepared(device: Any, model: Model) -> PreparedModel:
    """Prepare and wait."""
    callback = Callback()
    device.prepare_model(model, PrepareModelConfig(), callback)
    return callback.prepared_model()


def test_table_has_the_methods_of_the_contract() -> None:
    """Nothing of the contract is missing from the wire, and nothing else can be called."""
    expected = {f"{interface}.{name}" for interface, names in CONTRACT_METHODS.items() for name in names.split()}
    assert set(METHODS) == expected


def test_objects_and_values_travel(add_model: Model) -> None:
    """Structures, tuples, references and named arguments arrive on the other side as what they are."""
    device = EchoDevice()
    with session_with(device) as session:
        assert session.device.name == "base"
        model = prepared(session.device, add_model)
        roles = (BufferRole(0, 1, 0.5),)
        with_null: Any = [model, None, model]
        buffer, token = session.device.allocate(
            desc=BufferDesc((2, 0)), prepared_models=with_null, input_roles=(), output_roles=roles
        )
        assert token == 12
        desc, models, inputs, outputs = device.seen[0]
        assert (desc, inputs, outputs) == (BufferDesc((2, 0)), (), roles)
        assert [type(m) for m in models] == [EchoModel, type(None), EchoModel]
        assert models[0] is models[2]
        del models, device.seen[0], buffer


def test_errors_travel_whole(add_model: Model) -> None:
    """Status, message and rule of a HalError arrive; NONE as a failure becomes GENERAL_FAILURE."""
    with session_with(EchoDevice()) as session:
        buffer, _ = session.device.allocate(BufferDesc(), (), (), ())
        memory = create_ashmem(1)
        with pytest.raises(HalError) as refused:
            buffer.copy_to(memory)
        assert refused.value.args == (ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT, "no memory", "buffer/memory")
        with pytest.raises(HalError) as refused:
            buffer.copy_from(memory, (1, 2))
        assert refused.value.status is ErrorStatus.GENERAL_FAILURE
        close(memory)
        invalid = Model(add_model.main)
        with pytest.raises(HalError) as refused:
            session.device.get_supported_operations(invalid)
        assert refused.value.rule == "model/operand.location.values"


def test_null_callback_reaches_the_driver(add_model: Model) -> None:
    """A null callback is refused by the driver itself, as the contract demands of it."""
    with session_with(EchoDevice()) as session, pytest.raises(HalError) as refused:
        session.device.prepare_model(add_model, PrepareModelConfig(), None)  # type: ignore[arg-type]
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "prepare/notified_once")


def test_objects_of_another_driver_are_refused(add_model: Model) -> None:
    """A prepared model of one driver is no argument for another, and an object of the client neither."""
    with session_with(EchoDevice()) as one, session_with(EchoDevice()) as other:
        model = prepared(one.device, add_model)
        for stranger in (model, EchoModel(add_model), 5):
            with pytest.raises(HalError) as refused:
                other.device.allocate(BufferDesc(), (stranger,), (), ())  # type: ignore[arg-type]
            assert refused.value.status is ErrorStatus.INVALID_ARGUMENT
        assert other.alive


def test_forgotten_objects_are_released(add_model: Model) -> None:
    """The driver's object goes with the first call after the client's has been forgotten, and not before."""
    device = EchoDevice()
    with session_with(device) as session:
        first, second = prepared(session.device, add_model), prepared(session.device, add_model)
        del first
        gc.collect()
        assert session.device.name == "base"
        gc.collect()
        assert [model() is None for model in device.models] == [True, False]
        assert second.execute_synchronously(Request((), ()), ExecutionConfig(), 5).timing.time_on_device_ns == 5


def test_objects_end_with_the_client(add_model: Model) -> None:
    """When the client has gone, nothing of what it had is left, even if the driver has kept a callback."""
    device = KeepsCallbacks()
    with session_with(device) as session:
        model = prepared(session.device, add_model)
    gc.collect()
    assert device.models[0]() is None
    with pytest.raises(DriverCrash):
        model.execute_synchronously(Request((), ()), ExecutionConfig(), 5)


def test_one_thread_needs_one_lane() -> None:
    """Calls that come one after the other share a connection."""
    with session_with(EchoDevice()) as session:
        for _ in range(20):
            assert session.device.get_type() is DeviceType.CPU
        assert len(session._lanes) == 1


def test_threads_get_their_own_answers(add_model: Model) -> None:
    """Eight threads that call at once each get the answers to their own calls."""
    wrong: list[object] = []
    with session_with(EchoDevice()) as session:
        model = prepared(session.device, add_model)
        memory = create_ashmem(1)
        start = threading.Barrier(8)

        def call(number: int) -> None:
            start.wait()
            for deadline in range(number * 1000, number * 1000 + 50):
                result = model.execute_synchronously(Request((), (), (memory,) * number), ExecutionConfig(), deadline)
                if (len(result.output_shapes), result.timing.time_on_device_ns) != (number, deadline):
                    wrong.append(result)

        threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        close(memory)
        assert len(session._lanes) <= 8
    assert not wrong


def test_calls_leak_no_descriptors(add_model: Model) -> None:
    """A hundred executions with three pools leave as many descriptors open on both sides as one does."""
    with session_with(EchoDevice()) as session:
        model = prepared(session.device, add_model)
        pools = tuple(create_ashmem(8) for _ in range(3))
        request = Request((RequestArgument(),), (), pools)
        model.execute_synchronously(request, ExecutionConfig(), 0)
        before = open_descriptors()
        for _ in range(100):
            model.execute_synchronously(request, ExecutionConfig(), 0)
        # One more call, so that the service has left the one that counts.
        session.device.get_type()
        check_descriptors(before)
        for pool in pools:
            close(pool)


def test_closed_descriptor_is_the_callers_error(add_model: Model) -> None:
    """An argument with a descriptor that is not open is refused, and the session goes on."""
    with session_with(EchoDevice()) as session:
        model = prepared(session.device, add_model)
        with pytest.raises(HalError) as refused:
            model.execute_fenced(Request((), ()), [Handle(9999)], ExecutionConfig(), -1, -1)
        assert refused.value.rule == "wire/arguments"
        assert session.device.get_type() is DeviceType.CPU


def test_calls_wait_no_longer_than_they_may() -> None:
    """A call that is not answered in time is a hang; the late answer disturbs no later call."""
    device = Stuck()
    with session_with(device, timeout_s=0.05) as session:
        session.timeout_s = 0.05
        with pytest.raises(DriverHang) as hang:
            session.device.get_type()
        assert hang.value.evidence.call == "Device.get_type"
        assert hang.value.evidence.waited_s == 0.05
        device.go.set()
        session.timeout_s = PATIENCE_S
        assert session.device.get_type() is DeviceType.GPU


def test_settle_waits_for_all_notifications(add_model: Model) -> None:
    """After settle, whatever the driver has notified before is there, the superfluous included."""

    class Insists(EchoDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: Any) -> None:
            for status in (ErrorStatus.GENERAL_FAILURE, ErrorStatus.DEVICE_UNAVAILABLE, ErrorStatus.GENERAL_FAILURE):
                callback.notify(status=status, prepared_model=None)

    with session_with(Insists()) as session:
        callback = Callback()
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        session.settle()
        assert [int(status) for status, _ in callback.notifications] == [2, 1, 2]


def test_dropped_callbacks_are_notified_in_the_end(add_model: Model) -> None:
    """A callback that the driver forgot without a notification is notified of DEAD_OBJECT when the session ends."""

    class Forgets(EchoDevice):
        def prepare_model(self, model: Model, config: PrepareModelConfig, callback: PreparedModelCallback) -> None:
            """Do nothing."""

    callback = Callback()
    with session_with(Forgets()) as session:
        session.device.prepare_model(add_model, PrepareModelConfig(), callback)
        session.settle()
        assert callback.notifications == []
    assert callback.notifications == [(ErrorStatus.DEAD_OBJECT, None)]


def test_a_callback_that_raises_harms_no_other(add_model: Model) -> None:
    """An exception in a client's callback is kept as a fault, and later notifications are delivered."""
    notified = threading.Event()

    class Broken:
        def notify(self, *_: object) -> Never:
            notified.set()
            raise ArithmeticError("client's bug")

    with session_with(EchoDevice()) as session:
        session.device.prepare_model(add_model, PrepareModelConfig(), Broken())
        assert notified.wait(PATIENCE_S)
        assert prepared(session.device, add_model) is not None
        session.settle()
        (fault,) = session.faults
        assert "client's bug" in fault


def test_refusal_reaches_the_client() -> None:
    """A service that has no device to serve says why."""
    refusal = HalError(ErrorStatus.DEVICE_UNAVAILABLE, "on holiday", "some/rule")
    with pytest.raises(HalError) as refused, session_with(refusal):
        pass
    assert refused.value.args == refusal.args
