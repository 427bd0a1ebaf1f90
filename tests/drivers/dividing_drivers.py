"""Drivers for libraries of several devices: one that never adds, and forms of a fast one that adds but fails."""

from nnvet.driver_kit.base_device import BaseDevice, make_capabilities
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.errors import failure
from nnvet.hal.types import (
    DeviceType,
    ExecutionConfig,
    ExecutionResult,
    Model,
    OperationType,
    PerformanceInfo,
    PrepareModelConfig,
    Request,
)
from nnvet.reference_driver import create
from nnvet.reference_driver.device import VARIANTS, ReferenceDevice

FAST = PerformanceInfo(0.001, 0.001)


class NeverAdding(ReferenceDevice):
    """The bundled driver for all operations but ADD."""

    def __init__(self) -> None:
        """Be the whole driver."""
        super().__init__(VARIANTS[""])
        self.name = "never-adding"

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Not the additions."""
        return tuple(
            answer and operation.type != OperationType.ADD
            for answer, operation in zip(super().get_supported_operations(model), model.main.operations, strict=True)
        )


class NeverExecuting(BaseDevice):
    """Additions of float32 on an accelerator that is fast, but fails."""

    name = "failing"
    device_type = DeviceType.ACCELERATOR

    def __init__(self) -> None:
        """Claim what the smallest form claims."""
        self._claims = create("minimal")
        self.capabilities = make_capabilities(FAST, FAST, FAST)

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Return the smallest form's answer."""
        # A tuple of its own: with that of the smallest form goes its plan, which would work.
        return tuple(self._claims.get_supported_operations(model))

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Prepare everything."""
        del config
        return _Failing(model)


class NeverPreparing(NeverExecuting):
    """The same, failing earlier."""

    def compile(self, model: Model, config: PrepareModelConfig) -> BasePreparedModel:
        """Fail."""
        del model, config
        raise failure("fails for a test", "prepare/supported")


class NeverAnswering(NeverExecuting):
    """The same, failing when it is asked."""

    def get_supported_operations(self, model: Model) -> tuple[bool, ...]:
        """Fail."""
        del model
        raise failure("fails for a test", "driver/reply")


class _Failing(BasePreparedModel):
    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Fail."""
        del request, config, deadline_ns
        raise failure("fails for a test", "execution/status")
