"""The folder that a runner gets: model files, raw inputs, a manifest, and the names of the outputs to write.

Numbers are little-endian and row-major. Nothing in the folder reveals the expected outputs. ``FORMATS`` says what each
format of model file can express and how it is written; claims and writers are those of the adapters of LiteRT and ONNX
Runtime. :mod:`nnvet.adapters.files.command` runs the runner, :mod:`nnvet.adapters.files.answers` reads its outputs.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic

from nnvet.adapters.runtimes.claims import Graph, Table, element_name
from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.driver_kit.arrays import Array
from nnvet.formats.errors import MissingExtraError
from nnvet.hal.errors import failure
from nnvet.hal.operations.declaration import Argument
from nnvet.reports.files import LARGEST, read_foreign, replace_file

FORMAT: Final = "nnvet files 1"
"""Value of the field ``format``; it changes with every incompatible change of the layout."""
MANIFEST: Final = "manifest.json"
"""The list of cases in JSON; see :class:`FilesManifest`."""
LIST: Final = "cases.txt"
"""The manifest for programs that do not read JSON: one line of names for each case."""
ERROR: Final = "error.txt"
"""The file with the runner's message about a case that it could not run."""
UNSUPPORTED: Final = "unsupported.txt"
"""The file with the runner's message about a model that it does not support."""
_KINDS: Final = "biuf"
"""NumPy's letters for the allowed kinds of elements."""
_NPY_HEAD: Final = 1 << 16
"""The largest header of a ``.npy`` file in bytes."""


class FileTensor(msgspec.Struct, frozen=True):
    """An input or output: its file in the bundle's folder, its name in the model, its type and shape.

    ``dtype`` is NumPy's name; ``sha256`` is the digest of an input's file. An output without a ``file`` has no
    elements.
    """

    file: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    sha256: str = ""

    def __post_init__(self) -> None:
        """Refuse impossible values: the lists are read back from a folder that others have had in hand."""
        _check_place(self.file)
        # NumPy would also accept a list of fields here, such as "i4,i4".
        if not self.dtype.isalnum() or np.dtype(self.dtype).kind not in _KINDS:
            raise ValueError(f"there are no elements of type {self.dtype!r}")
        if min(self.shape, default=0) < 0 or self.size > LARGEST:
            raise ValueError(f"no tensor has the shape {list(self.shape)} of {self.dtype}")

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def _check_place(file: str) -> None:
    """Refuse the name of a file outside the folder.

    :raises ValueError: the name is absolute or leads upwards.
    """
    place = PurePosixPath(file)
    if place.is_absolute() or ".." in place.parts or "\0" in file:
        raise ValueError(f"{file!r} leaves the folder")


class FileCase(msgspec.Struct, frozen=True):
    """One execution: a model file with its digest, and the tensors in the file's own order."""

    name: str
    model: str
    sha256: str
    inputs: tuple[FileTensor, ...]
    outputs: tuple[FileTensor, ...]

    def __post_init__(self) -> None:
        """Refuse names that leave the folder."""
        for place in (self.name, self.model):
            _check_place(place)

    @property
    def files(self) -> dict[str, str]:
        """Files that exist before the case is run, each with its digest."""
        return {self.model: self.sha256} | {tensor.file: tensor.sha256 for tensor in self.inputs if tensor.file}


class FilesManifest(msgspec.Struct, frozen=True):
    """The content of ``manifest.json``; ``models`` is the format of the models, ``nnvet`` the version that wrote it."""

    format: str
    models: str
    nnvet: str
    cases: tuple[FileCase, ...]


@dataclass(frozen=True)
class Port:
    """A tensor of a model file: its position among the inputs or outputs of the HAL's model, name, type and shape."""

    position: int
    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file, whose name ends with ``suffix``; the tensors are in the file's own order."""

    suffix: str
    content: bytes
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def digest(content: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def write_case(folder: Path, name: str, model: ModelFile, inputs: Sequence[Array | None]) -> FileCase:
    """Write a case into a subfolder of its name; ``inputs`` are those of the HAL's model.

    :raises OSError: a file cannot be written.
    """
    (folder / name).mkdir(parents=True, exist_ok=True)
    path = f"{name}/model{model.suffix}"
    (folder / path).write_bytes(model.content)
    given = []
    for number, port in enumerate(model.inputs):
        file, content = f"{name}/input{number}.bin", _to_raw(inputs[port.position], port.dtype)
        (folder / file).write_bytes(content)
        given.append(FileTensor(file, port.name, port.dtype, port.shape, digest(content)))
    due = [
        FileTensor(f"{name}/output{number}.bin", port.name, port.dtype, port.shape)
        for number, port in enumerate(model.outputs)
    ]
    return FileCase(name, path, digest(model.content), tuple(given), tuple(due))


def _to_raw(value: Array | None, dtype: str) -> bytes:
    if value is None:
        return b""
    # Every byte other than 0 means True; the file needs exactly 1.
    wanted = value != 0 if dtype == "bool" else value
    return np.ascontiguousarray(wanted, np.dtype(dtype).newbyteorder("<")).tobytes()


def write_manifest(folder: Path, models: str, cases: Sequence[FileCase]) -> None:
    """Write both lists of the cases, for JSON readers and for others.

    :raises OSError: a file cannot be written.
    """
    manifest = FilesManifest(FORMAT, models, version("nnvet"), tuple(cases))
    replace_file(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    replace_file(folder / LIST, "".join(map(_format_line, cases)))


def _format_line(case: FileCase) -> str:
    """Return the line of a case: name, model, then the inputs and the outputs, each counted, with file and bytes."""
    words = [case.name, case.model]
    for side in (case.inputs, case.outputs):
        words += [str(len(side)), *(word for tensor in side for word in (tensor.file, str(tensor.size)))]
    return " ".join(words) + "\n"


def read_output(folder: Path, tensor: FileTensor) -> Array:
    """Return the values that a runner wrote for an output: raw, or as ``.npy`` under the same name.

    :raises HalError: GENERAL_FAILURE if the file is missing or malformed.
    """
    if not tensor.file:
        return np.empty(tensor.shape, tensor.dtype)
    path = folder / tensor.file
    array = path.with_suffix(".npy")
    try:
        if not path.exists() and array.exists():
            return _read_npy(read_foreign(array, tensor.size + _NPY_HEAD), tensor)
        content = read_foreign(path, tensor.size + _NPY_HEAD)
    except FileNotFoundError as error:
        raise failure(f"there is no output {tensor.file}", "execution/status") from error
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else error
        raise failure(f"the output {tensor.file} cannot be read: {words}", "execution/status") from error
    return _read_raw(content, tensor)


def _read_raw(content: bytes, tensor: FileTensor, order: Literal["C", "F"] = "C") -> Array:
    if len(content) != tensor.size:
        reason = f"the output {tensor.file} has {len(content)} bytes; {list(tensor.shape)} of {tensor.dtype} have"
        raise failure(f"{reason} {tensor.size}", "execution/status")
    return np.frombuffer(content, np.dtype(tensor.dtype).newbyteorder("<")).reshape(tensor.shape, order=order)


def _read_npy(content: bytes, tensor: FileTensor) -> Array:
    """Return the values of a ``.npy`` file, whose header has to state exactly the expected type and shape.

    :raises ValueError: it is not such a file.
    """
    file = io.BytesIO(content)
    try:
        read_head = read_array_header_1_0 if read_magic(file) == (1, 0) else read_array_header_2_0
        shape, is_fortran, dtype = read_head(file)
    except Exception as error:
        # NumPy reads the header as Python's source, so that any error of a parser may come out.
        raise ValueError(f"its header is none of a file .npy: {error}") from error
    if dtype.name != tensor.dtype or shape != tensor.shape:
        found = f"{list(shape)} of {dtype.name}"
        wanted = f"{list(tensor.shape)} of {tensor.dtype}"
        raise failure(f"the output {tensor.file} as .npy is {found}, not {wanted}", "execution/status")
    values = _read_raw(file.read(), tensor, "F" if is_fortran else "C")
    return values if dtype == values.dtype else values.view(dtype).astype(values.dtype)


def read_outputs(folder: Path, name: str, outputs: Sequence[FileTensor]) -> list[Array]:
    """Return the outputs of a case.

    :raises HalError: GENERAL_FAILURE if an output is missing or malformed, or the runner reports an error; as
     inexpressible if the runner says that it does not support the model.
    """
    place = folder / name
    if (words := _read_note(place / UNSUPPORTED)) is not None:
        raise failure(f"the runner does not take the model: {words}", INEXPRESSIBLE)
    if (words := _read_note(place / ERROR)) is not None:
        raise failure(f"the runner says: {words}", "execution/status")
    return [read_output(folder, tensor) for tensor in outputs]


_LONGEST_NOTE: Final = 2000
"""Most characters of a runner's message that are shown."""
_LONGEST_NOTE_BYTES: Final = 1 << 20
"""Most bytes of a runner's message that are read."""


def _read_note(path: Path) -> str | None:
    try:
        content = read_foreign(path, _LONGEST_NOTE_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{path.name} cannot be read: {error.strerror}"
    return content.decode(errors="replace")[:_LONGEST_NOTE].strip() or "nothing more"


@dataclass(frozen=True)
class FileFormat:
    """A format of model files. ``emit`` writes a graph all of whose calls the ``table`` claims."""

    name: str
    table: Table[Any]
    emit: Callable[[Graph], ModelFile]


def file_format(name: str) -> FileFormat:
    """Return a format of :data:`FORMATS` by its name.

    :raises MissingExtraError: the package that writes such files is not installed.
    """
    return FORMATS[name]()


def _load_tflite() -> FileFormat:
    # Imported here, so that either format can be used without the other's package.
    try:
        from nnvet.adapters.litert.writing import TABLE, TFLITE_SUFFIX, emit_model  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("flatbuffers", "litert", "writing TFLite files") from error

    def emit(graph: Graph) -> ModelFile:
        emitter = emit_model(graph)
        places = [[emitter.place(argument) for argument in side] for side in (graph.inputs, graph.outputs)]
        inputs, outputs = (
            tuple(
                _make_port(position, f"op{index}", argument)
                for position, (index, argument, place) in enumerate(zip(indexes, side, found, strict=True))
                if place is not None
            )
            for indexes, side, found in zip(_list_ends(graph), (graph.inputs, graph.outputs), places, strict=True)
        )
        given, results = ([place for place in side if place is not None] for side in places)
        return ModelFile(TFLITE_SUFFIX, emitter.writer.finish(given, results) if results else b"", inputs, outputs)

    return FileFormat("tflite", TABLE, emit)


def _load_onnx() -> FileFormat:
    try:
        from nnvet.adapters.onnxruntime.program import (  # noqa: PLC0415
            TABLE,
            Forms,
            emit_model,
        )
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "onnx", "onnx", "writing ONNX files") from error

    def emit(graph: Graph) -> ModelFile:
        emitter = emit_model(graph, Forms())
        named = [(position, argument, emitter.place(argument)) for position, argument in enumerate(graph.inputs)]
        inputs = tuple(
            _make_port(position, name, argument) for position, argument, name in named if emitter.is_input(name)
        )
        named = [(position, argument, emitter.place(argument)) for position, argument in enumerate(graph.outputs)]
        computed = [entry for entry in named if entry[2] and 0 not in entry[1].dimensions]
        outputs = tuple(_make_port(position, name, argument) for position, argument, name in computed)
        content = emitter.finish([(name, argument) for _, argument, name in computed]) if computed else b""
        return ModelFile(".onnx", content, inputs, outputs)

    return FileFormat("onnx", TABLE, emit)


FORMATS: Final[dict[str, Callable[[], FileFormat]]] = {"tflite": _load_tflite, "onnx": _load_onnx}
"""Functions that load each format by its name; the first one is the default."""


def _list_ends(graph: Graph) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return graph.subgraph.input_indexes, graph.subgraph.output_indexes


def _make_port(position: int, name: str, argument: Argument) -> Port:
    return Port(position, name, element_name(argument.type), argument.dimensions)
