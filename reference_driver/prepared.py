"""A prepared model: requests in, kernels run, results out. The ways of executing come from the base class."""

from __future__ import annotations

from dataclasses import replace

from hal.arguments import boot_time_ns
from hal.arrays import mapped_pools, read_input, write_output
from hal.base_prepared_model import BasePreparedModel
from hal.dimensions import combine
from hal.operations.call import Argument
from hal.types import ExecutionConfig, ExecutionResult, Model, Request, Timing
from reference_driver.compiled import CompiledModel
from reference_driver.executor import Execution


class ReferencePreparedModel(BasePreparedModel):
    """See :class:`hal.interfaces.PreparedModel`. Executions may run at the same time."""

    def __init__(self, model: Model, compiled: CompiledModel) -> None:
        """Keep the model for validating requests and its compiled form for running."""
        super().__init__(model)
        self._compiled = compiled

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """Execute a valid request.

        :raises HalError: as the execution fails.
        """
        main = self.model.main
        with mapped_pools(request) as pools:
            inputs = self._inputs(request, pools)
            outputs = self._declared_outputs(request)
            execution = Execution(self._compiled, deadline_ns, config.loop_timeout_duration_ns)
            started = boot_time_ns()
            results = execution.run(inputs, outputs)
            on_device = boot_time_ns() - started
            places = zip(request.outputs, main.output_indexes, results, strict=True)
            shapes = tuple(write_output(place, main.operands[i], result.array, pools) for place, i, result in places)
        sufficient = all(shape.is_sufficient for shape in shapes)
        measured = config.measure_timing and sufficient
        return ExecutionResult(sufficient, shapes, Timing(time_on_device_ns=on_device) if measured else Timing())

    def _inputs(self, request: Request, pools: list[memoryview]) -> list[Argument]:
        inputs = []
        for argument, index in zip(request.inputs, self.model.main.input_indexes, strict=True):
            declared = self._compiled.main.arguments[index]
            if argument.has_no_value:
                inputs.append(replace(declared, omitted=True))
            else:
                value = read_input(argument, self.model.main.operands[index], pools)
                inputs.append(replace(declared, dimensions=value.shape, value=value))
        return inputs

    def _declared_outputs(self, request: Request) -> list[Argument]:
        arguments = self._compiled.main.arguments
        return [
            replace(arguments[index], dimensions=combine(arguments[index].dimensions, argument.dimensions) or ())
            for argument, index in zip(request.outputs, self.model.main.output_indexes, strict=True)
        ]
