"""Makes the device of the kind ``files``: each execution is a model file, raw inputs, and one run of a command."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from nnvet.adapters.files.command import FileCommand
from nnvet.adapters.files.formats import FORMATS, FileFormat, file_format
from nnvet.adapters.files.layout import ModelFile, read_outputs, write_case, write_manifest
from nnvet.adapters.runtimes.claims import Graph
from nnvet.adapters.runtimes.device import RuntimeDevice, RuntimeNode
from nnvet.adapters.selector import SelectorError, parse_options, take_choice, take_number
from nnvet.driver_kit.arrays import Array
from nnvet.formats.errors import MissingExtraError
from nnvet.hal.errors import failure
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument

_OPTIONS: Final = re.compile(r"(?:,(?:format|timeout|batch)=[^,]*)+$")
"""Options at the end of the arguments; all before is the command, which may have commas."""
_TIMEOUT_S: Final = 15
"""Less than the suite waits for a driver: the command is then to blame by name."""
_CASE: Final = "00000"


def create(arguments: str) -> RuntimeDevice:
    """The device of ``COMMAND,format=NAME,timeout=SECONDS``.

    :raises SelectorError: an option makes no sense, there is no such program, or an extra is missing.
    """
    found = _OPTIONS.search(arguments)
    given = found.group() if found else ""
    command = parse_command(arguments.removesuffix(given))
    options = parse_options("files", given)
    form = take_choice("files", options, "format", tuple(FORMATS))
    timeout_s = take_number("files", options, "timeout", _TIMEOUT_S)
    if take_number("files", options, "batch", 1) > 1:
        raise SelectorError(
            f"driver 'files:{arguments}': a driver gets one execution at a time, so batch is 1; for more at once use "
            "nnvet bundle, then nnvet judge --command COMMAND --batch N"
        )
    try:
        chosen = file_format(form)
    except MissingExtraError as error:
        raise SelectorError(f"driver 'files:{arguments}': {error}") from error
    run = FileCommand(command, timeout_s)
    name = f"files-{Path(command[0]).name}"
    return RuntimeDevice(chosen.table, partial(_build, run, chosen), name, f"{form} files", copies_inputs=True)


def parse_command(text: str) -> tuple[str, ...]:
    """The words of a command, as a shell takes them apart.

    :raises SelectorError: there are none, or no such program.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise SelectorError(f"the command {text!r} cannot be taken apart: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise SelectorError(f"the command {text!r}: there is no program {words[0] if words else ''!r}")
    return words


def _build(command: FileCommand, form: FileFormat, graph: Graph) -> FileProgram:
    return FileProgram(command, form.name, form.emit(graph), tuple(graph.outputs))


@dataclass(frozen=True)
class FileProgram:
    """A model file, and the command that runs it."""

    command: FileCommand
    models: str
    model: ModelFile
    outputs: tuple[Argument, ...]

    def run(self, inputs: Sequence[Array | None]) -> list[Array]:
        """Write the case into a folder of its own, run the command on it, and read the outputs.

        :raises HalError: GENERAL_FAILURE if the command ends badly, or leaves an output out.
        """
        results = [np.empty(output.dimensions, type_info(output.type).dtype) for output in self.outputs]
        if not self.model.outputs:
            return results
        with tempfile.TemporaryDirectory(prefix="nnvet-files-") as name:
            folder = Path(name)
            case = write_case(folder, _CASE, self.model, inputs)
            write_manifest(folder, self.models, [case])
            try:
                end = self.command.run(folder)
            except OSError as error:
                raise failure(f"the command cannot be run: {error}", "execution/status") from error
            if end is not None:
                raise end.as_error()
            for port, value in zip(self.model.outputs, read_outputs(folder, _CASE, case.outputs), strict=True):
                results[port.position] = value
        return results

    def nodes(self) -> list[RuntimeNode]:
        """No nodes: nobody says where the command has them computed."""
        return []
