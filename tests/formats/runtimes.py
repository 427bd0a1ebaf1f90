"""Runs one synthetic .tflite model on LiteRT and, converted, on the reference driver."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from nnvet.conformance.kit.executing import Executor
from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.types import PrepareModelConfig, Request
from nnvet.models.compiling import Compiler
from nnvet.models.driver import Arena, open_run
from nnvet.reference_driver import create

Arrays = list[np.ndarray[Any, Any]]


def run_on_litert(
    data: bytes, steps: Sequence[Arrays], resolver: str = "BUILTIN_WITHOUT_DEFAULT_DELEGATES"
) -> list[Arrays]:
    """Outputs of each step; LiteRT keeps the states. ``resolver`` names the kernels."""
    interpreter = pytest.importorskip("ai_edge_litert.interpreter", reason="needs the litert extra")
    kernels = interpreter.OpResolverType[resolver]
    runner = interpreter.Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=kernels)
    runner.allocate_tensors()
    runner.reset_all_variables()
    results = []
    for inputs in steps:
        for detail, value in zip(runner.get_input_details(), inputs, strict=True):
            runner.set_tensor(detail["index"], value)
        runner.invoke()
        results.append([runner.get_tensor(detail["index"]).copy() for detail in runner.get_output_details()])
    return results


def run_on_driver(data: bytes, steps: Sequence[Arrays]) -> list[Arrays]:
    """Outputs of each step; states are fed back here."""
    device = create("")
    with import_model(data) as imported, ExitStack() as stack:
        main = imported.model.main
        inputs = Arena([main.operands[index] for index in main.input_indexes])
        outputs = Arena([main.operands[index] for index in main.output_indexes])
        prepared = Compiler(device, imported.model, 30.0).compile(PrepareModelConfig())
        request = Request(inputs.arguments(0), outputs.arguments(1), (inputs.pool, outputs.pool))
        run = open_run(stack, prepared, request, Executor.BURST, 30.0)
        for state in imported.states:
            inputs.arrays[state.input_index][...] = state.zero
        results = []
        for values in steps:
            for array, value in zip(inputs.arrays, values, strict=False):
                array[...] = value.reshape(array.shape)
            assert run().status is ErrorStatus.NONE
            results.append([array.copy() for array in outputs.arrays[: len(imported.outputs)]])
            for state in imported.states:
                inputs.arrays[state.input_index][...] = outputs.arrays[state.output_index]
        inputs.close()
        outputs.close()
    return results
