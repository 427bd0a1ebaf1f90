"""The oracle as a source of golden outputs: what a model has to give, where no runtime of others is installed."""

from __future__ import annotations

import numpy as np

from nnvet.formats.tflite.importer import ImportedModel
from nnvet.hal.operand_types import type_info
from nnvet.models.contenders import BenchModel, ContenderError
from nnvet.models.datasets import Array
from nnvet.oracle.execution import evaluate
from nnvet.reports.events import Verdict


class Oracle:
    """Opens models to be evaluated by their meaning; nothing is measured on it."""

    backend = "oracle"

    def open(self, model: BenchModel) -> OracleModel:
        """Take the model's NNAPI form.

        :raises ContenderError: it has none.
        """
        if model.imported is None:
            raise ContenderError(Verdict.NOT_RUN, model.import_error)
        return OracleModel(model.imported)


class OracleModel:
    """One model; see :class:`nnvet.models.contenders.LoadedModel`."""

    def __init__(self, imported: ImportedModel) -> None:
        """Keep the model, which the caller closes."""
        self._imported = imported
        main = imported.model.main
        self._inputs: list[Array | None] = [
            np.zeros(main.operands[index].dimensions, type_info(main.operands[index].type).dtype)
            for index in main.input_indexes
        ]
        self._outputs: list[Array] = []

    def reset(self) -> None:
        """Set every state to its zero."""
        for state in self._imported.states:
            np.asarray(self._inputs[state.input_index])[...] = state.zero

    def put(self, data: bytes) -> None:
        """Take the input of the next step."""
        first = np.asarray(self._inputs[0])
        self._inputs[0] = np.frombuffer(data, first.dtype).reshape(first.shape)

    def invoke(self) -> None:
        """Evaluate the model."""
        self._outputs = evaluate(self._imported.model, self._inputs)

    def take(self) -> tuple[Array, ...]:
        """The file's own outputs, flat; state outputs become state inputs."""
        for state in self._imported.states:
            self._inputs[state.input_index] = self._outputs[state.output_index].copy()
        return tuple(array.reshape(-1) for array in self._outputs[: len(self._imported.outputs)])

    def close(self) -> None:
        """Nothing is held."""
