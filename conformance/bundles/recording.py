"""A device that computes nothing: it records the executions that cases ask for, as files of a bundle.

Cases run on a :class:`RecordingDevice` as on any other driver, so the bundle holds exactly what a driver would receive.
:mod:`nnvet.conformance.bundles.making` uses the device to write bundles; :mod:`nnvet.adapters.files` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from msgspec.structs import replace

from nnvet.adapters.files.answers import BundledExecution, execution_key, model_key
from nnvet.adapters.files.layout import FileCase, FileFormat, FileTensor, ModelFile, digest, write_case
from nnvet.adapters.runtimes.claims import element_name, execute_graph, model_constants, read_graph
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.graphs.model import TestModel
from nnvet.graphs.vector import write_vector
from nnvet.hal.errors import failure
from nnvet.hal.types import Model, PrepareModelConfig

Inputs = Sequence[Array | None]
"""Inputs of an execution; None for one that is omitted."""

RECORDED: Final = "it is in the bundle"
"""Reason given by the device for each execution that it has recorded."""


class BundleForm(Protocol):
    """A file format for the cases of a bundle."""

    @property
    def name(self) -> str:
        """Return the name of the format on the command line."""

    def reasons(self, model: Model) -> tuple[str, ...]:
        """Return for each operation the reason why the format cannot express it; empty if it can."""

    def write(self, folder: Path, name: str, model: Model, inputs: Inputs) -> tuple[FileCase, tuple[FileTensor, ...]]:
        """Write a case and return it, with a description of all outputs of the HAL's model.

        :raises HalError: the execution has to fail.
        :raises OSError: a file cannot be written.
        """


class ModelForm:
    """Model files in a third party's format, TFLite or ONNX."""

    def __init__(self, form: FileFormat) -> None:
        """Express the operations that the table of ``form`` claims."""
        self._form = form
        self.name = form.name

    def reasons(self, model: Model) -> tuple[str, ...]:
        """Return the table's reasons."""
        return tuple(self._form.table.refusals(read_graph(model)))

    def write(self, folder: Path, name: str, model: Model, inputs: Inputs) -> tuple[FileCase, tuple[FileTensor, ...]]:
        """Write the model for the shapes of these inputs, as the adapters do."""
        shapes = [None if value is None else value.shape for value in inputs]
        graph = execute_graph(model, model_constants(model), shapes)
        content = self._form.emit(graph)
        # A model whose outputs all have no elements needs no computation, so no file.
        case = write_case(folder, name, content, inputs) if content.outputs else FileCase(name, "", "", (), ())
        return case, _list_outputs(graph.outputs, content, case)


def _list_outputs(outputs: Sequence[Any], content: ModelFile, case: FileCase) -> tuple[FileTensor, ...]:
    """Return outputs in the order of the HAL's model; those that the file does not have are empty."""
    known = {port.position: tensor for port, tensor in zip(content.outputs, case.outputs, strict=True)}
    return tuple(
        known.get(position, FileTensor("", "", element_name(output.type), output.dimensions))
        for position, output in enumerate(outputs)
    )


class VectorForm:
    """nnvet's own test vectors, which can express every model; the outputs are written without values.

    ``test_of`` gives the test of the case under way.
    """

    name = "nnvet-vectors"

    def __init__(self, test_of: Callable[[], TestModel | None]) -> None:
        """Write the tests that ``test_of`` gives."""
        self._test_of = test_of

    def reasons(self, model: Model) -> tuple[str, ...]:
        """Return empty reasons, because vectors can express every valid operation."""
        return ("",) * len(model.main.operations)

    def write(self, folder: Path, name: str, model: Model, inputs: Inputs) -> tuple[FileCase, tuple[FileTensor, ...]]:
        """Write the test without its expected values and without its name, so that neither gives the answer away."""
        del model, inputs
        test = self._test_of()
        if test is None:
            raise failure("the case has no test of its own", INEXPRESSIBLE)
        (folder / name).mkdir(parents=True, exist_ok=True)
        path = folder / name / "vector.json"
        write_vector(path, without_expected(test, name))
        outputs = tuple(
            FileTensor(f"{name}/output{number}.bin", "", element_name(operand.type), operand.dimensions)
            for number, operand in enumerate(test.main.outputs)
        )
        data = path.with_suffix(".bin")
        sent = FileTensor(f"{name}/{data.name}", "", "uint8", (data.stat().st_size,), digest(data.read_bytes()))
        return FileCase(name, f"{name}/{path.name}", digest(path.read_bytes()), (sent,), outputs), outputs


def without_expected(test: TestModel, name: str) -> TestModel:
    """Return the test under another name and without the values of its outputs."""
    outputs = set(test.main.output_indexes)
    operands = tuple(
        replace(operand, data=None) if index in outputs else operand for index, operand in enumerate(test.main.operands)
    )
    main = replace(test.main, operands=operands)
    return replace(test, main=main, name=name)


class BundleRecorder:
    """Collects the executions of a bundle by digest, their cases, and the models that the format cannot express."""

    def __init__(self, form: BundleForm, folder: Path) -> None:
        """Write cases into a folder."""
        self.form = form
        self.folder = folder
        self.cases: list[FileCase] = []
        self.executions: dict[str, BundledExecution] = {}
        self.refused: dict[str, tuple[str, ...]] = {}

    def record(self, model: Model, key: str, inputs: Inputs) -> None:
        """Record an execution, unless it is known: cases may differ in nothing but the way to execute.

        :raises HalError: it has to fail.
        """
        found = execution_key(key, inputs)
        if found in self.executions:
            return
        case, outputs = self.form.write(self.folder, f"{len(self.cases):05}", model, inputs)
        self.executions[found] = BundledExecution(case.name, outputs)
        if case.outputs:
            self.cases.append(case)


class RecordingDevice(BaseDevice):
    """A device that supports the operations which a recorder's format can express."""

    name = "recorder"

    def __init__(self, recorder: BundleRecorder) -> None:
        """Record executions with ``recorder``."""
        self.recorder = recorder

    def plan(self, model: Model) -> _RecordingPlan:
        """Find out which operations of a model the format can express."""
        return _RecordingPlan(self.recorder, model)


class _RecordingPlan:
    """A model on the device, with the reasons why the format cannot express operations of it."""

    def __init__(self, recorder: BundleRecorder, model: Model) -> None:
        self._recorder = recorder
        self._model = model
        self._key = model_key(model)
        self._reasons = recorder.form.reasons(model)
        if any(self._reasons):
            recorder.refused[self._key] = self._reasons

    @property
    def supported(self) -> tuple[bool, ...]:
        """True for each operation that the format can express."""
        return tuple([not reason for reason in self._reasons])

    @property
    def refusal(self) -> str:
        """Reason of the first operation that the format cannot express."""
        return next((reason for reason in self._reasons if reason), "")

    def compile(self, config: PrepareModelConfig) -> BasePreparedModel:
        """Return a prepared model that records its inputs."""
        del config
        return _RecordingPrepared(self._recorder, self._model, self._key)


class _RecordingPrepared(BasePreparedModel):
    """A prepared model that records the inputs of its executions."""

    def __init__(self, recorder: BundleRecorder, model: Model, key: str) -> None:
        super().__init__(model)
        self._recorder = recorder
        self._key = key

    def compute(self, inputs: Sequence[Any]) -> list[Array]:
        """Record the execution.

        :raises HalError: always, because nothing is computed.
        """
        self._recorder.record(self.model, self._key, inputs)
        raise failure(RECORDED, INEXPRESSIBLE)
