"""The device of the kind ``files``: each execution writes a model file and inputs, and runs the command on them.

The table of selectors names :func:`create`, which the service process calls. Claims, shapes and preparation are those
of :mod:`nnvet.adapters.runtimes`. :mod:`nnvet.adapters.files.layout` writes and reads the files,
:mod:`nnvet.adapters.files.command` runs the command.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from nnvet.adapters.files import layout
from nnvet.adapters.files.answers import AnswersDevice, model_key
from nnvet.adapters.files.answers import create as create_answers
from nnvet.adapters.files.command import FileCommand
from nnvet.adapters.runtimes.claims import Graph
from nnvet.adapters.runtimes.device import RuntimeDevice, RuntimeNode
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_device import BasePreparedModel
from nnvet.formats.errors import MissingExtraError
from nnvet.hal.errors import failure
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument
from nnvet.hal.types import Model, PrepareModelConfig

_OPTIONS: Final = re.compile(r"(?:,(?:format|timeout|batch)=[^,]*)+$")
"""Options at the end of the arguments; everything before them is the command, which may contain commas."""
_ANSWERS: Final = ",answers="
"""Internal option in front of the folder of a bundle; :func:`with_answers` adds it."""
_TIMEOUT_S: Final = 15
"""Default time limit of the command. It is shorter than the suite's for drivers, so that messages name the command."""
_CASE: Final = "00000"
"""The name of the only case of a folder that is made for one execution."""


@dataclass(frozen=True)
class FilesSelector:
    """The parsed arguments of a selector; ``batch`` is the number of executions in one run of the command.

    ``answers`` is a bundle whose outputs replace runs of the command; empty if there is none.
    """

    command: FileCommand
    form: str
    batch: int
    answers: str


def parse_arguments(arguments: str) -> FilesSelector:
    """Parse ``COMMAND,format=NAME,timeout=SECONDS,batch=N``.

    :raises SelectorError: an option has an unknown name or value, or the program does not exist.
    """
    arguments, _, answers = arguments.partition(_ANSWERS)
    found = _OPTIONS.search(arguments)
    given = found.group() if found else ""
    words = parse_command(arguments.removesuffix(given))
    options = parse_options("files", given)
    form = take_choice("files", options, "format", tuple(layout.FORMATS))
    timeout_s = take_number("files", options, "timeout", _TIMEOUT_S)
    batch = take_number("files", options, "batch", 1)
    return FilesSelector(FileCommand(words, timeout_s), form, batch, answers)


def create(arguments: str) -> RuntimeDevice:
    """Return the device of ``COMMAND,format=NAME,timeout=SECONDS,batch=N``.

    A driver receives one execution at a time. Batches run before that, in :mod:`nnvet.conformance.bundles.making`, and
    their outputs come from a bundle.

    :raises SelectorError: as :func:`parse_arguments`; or the bundle does not exist, or an extra is not installed.
    """
    parsed = parse_arguments(arguments)
    try:
        chosen = layout.file_format(parsed.form)
    except MissingExtraError as error:
        raise SelectorError(f"driver 'files:{arguments}': {error}") from error
    build = partial(_build, parsed.command, chosen)
    name = f"files-{Path(parsed.command.words[0]).name}"
    if not parsed.answers:
        return RuntimeDevice(chosen.table, build, name, f"{parsed.form} files", copies_inputs=True)
    answers = create_answers(parsed.answers)
    return _AnsweredDevice(answers, chosen.table, build, name, f"{parsed.form} files", copies_inputs=True)


class _AnsweredDevice(RuntimeDevice):
    """A device that returns the outputs of a bundle, and runs the command for executions that the bundle lacks."""

    def __init__(self, answers: AnswersDevice, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._answers = answers

    def plan(self, model: Model) -> Any:
        """Return the plan for a model; the prepared model looks in the bundle before it runs the command."""
        return _AnsweredPlan(super().plan(model), self._answers, model)


class _AnsweredPlan:
    """The plan of the device that runs the command, with the outputs of a bundle beside it."""

    def __init__(self, live: Any, answers: AnswersDevice, model: Model) -> None:
        self._live = live
        self._answers = answers
        self._model = model

    @property
    def supported(self) -> tuple[bool, ...]:
        """True for each operation that the command's format can express."""
        supported: tuple[bool, ...] = self._live.supported
        return supported

    def compile(self, config: PrepareModelConfig) -> BasePreparedModel:
        """Return a prepared model with both sources of outputs."""
        return _AnsweredModel(self._live.compile(config), self._answers, self._model)


class _AnsweredModel(BasePreparedModel):
    """A prepared model that looks in the bundle before it runs the command."""

    def __init__(self, live: BasePreparedModel, answers: AnswersDevice, model: Model) -> None:
        super().__init__(model)
        self._live = live
        self._answers = answers
        self._key = model_key(model)

    def compute(self, inputs: Sequence[Any]) -> Sequence[Array]:
        """Return the outputs from the bundle, or else from a run of the command.

        :raises HalError: the execution fails.
        """
        known = self._answers.answer(self._key, inputs)
        return self._live.compute(inputs) if known is None else known


def with_answers(arguments: str, folder: Path) -> str:
    """Return the arguments of a device that takes outputs from a bundle instead of running its command."""
    return f"{arguments}{_ANSWERS}{folder}"


def parse_command(text: str) -> tuple[str, ...]:
    """Return the words of a command, split like in a shell.

    :raises SelectorError: the command is empty, or the program does not exist.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise SelectorError(f"the command {text!r} cannot be taken apart: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise SelectorError(f"the command {text!r}: there is no program {words[0] if words else ''!r}")
    return words


def _build(command: FileCommand, form: layout.FileFormat, graph: Graph) -> FileProgram:
    return FileProgram(command, form.name, form.emit(graph), tuple(graph.outputs))


@dataclass(frozen=True)
class FileProgram:
    """A model file with the command that runs it."""

    command: FileCommand
    models: str
    model: layout.ModelFile
    outputs: tuple[Argument, ...]

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Write the case into a folder of its own, run the command on it, and read the outputs.

        :raises HalError: GENERAL_FAILURE if the command fails or leaves an output out.
        """
        results = [np.empty(output.dimensions, type_info(output.type).dtype) for output in self.outputs]
        if not self.model.outputs:
            return results
        with tempfile.TemporaryDirectory(prefix="nnvet-files-") as name:
            folder = Path(name)
            case = layout.write_case(folder, _CASE, self.model, inputs)
            layout.write_manifest(folder, self.models, [case])
            try:
                end = self.command.run(folder)
            except OSError as error:
                raise failure(f"the command cannot be run: {error}", "execution/status") from error
            if end is not None:
                raise end.as_error()
            for port, value in zip(self.model.outputs, layout.read_outputs(folder, _CASE, case.outputs), strict=True):
                results[port.position] = value
        return results

    def nodes(self) -> list[RuntimeNode]:
        """Return no nodes: nobody knows on what the command computes them."""
        return []
