"""A prepared model: requests in, kernels run, results out. The ways of executing come from the base class."""

from __future__ import annotations

from collections.abc import Callable

from hal.arguments import boot_time_ns
from hal.arrays import mapped_pools
from hal.base_prepared_model import BasePreparedModel
from hal.types import ExecutionConfig, ExecutionResult, Model, Request, Timing
from reference_driver.compiled import CompiledModel
from reference_driver.executor import Execution
from reference_driver.transfer import Transfer


class ReferencePreparedModel(BasePreparedModel):
    """See :class:`hal.interfaces.PreparedModel`. Executions may run at the same time."""

    def __init__(self, model: Model, compiled: CompiledModel) -> None:
        """Keep the model for validating requests and its compiled form for running."""
        super().__init__(model)
        self._compiled = compiled
        self._transfer: Transfer | None = None
        self.executed: Callable[[CompiledModel], None] | None = None
        """Told after every successful execution."""

    @property
    def compiled(self) -> CompiledModel:
        """The compiled form."""
        return self._compiled

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Execute a valid request.

        :raises HalError: as the execution fails.
        """
        transfer = self._transfer
        if transfer is None or not transfer.fits(request):
            transfer = self._transfer = Transfer(request, self._compiled.main)
        with mapped_pools(request) as pools:
            inputs = transfer.read(pools)
            execution = Execution(self._compiled, deadline_ns, config.loop_timeout_duration_ns)
            started = boot_time_ns()
            results = execution.run(inputs, transfer.declared_outputs)
            on_device = boot_time_ns() - started
            shapes = transfer.write(results, pools)
        if self.executed is not None:
            self.executed(self._compiled)
        sufficient = all(shape.is_sufficient for shape in shapes)
        measured = config.measure_timing and sufficient
        return ExecutionResult(sufficient, shapes, Timing(time_on_device_ns=on_device) if measured else Timing())
