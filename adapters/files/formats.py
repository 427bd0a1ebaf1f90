"""Formats of model files: the table of operations that each can express, and the function that writes a graph.

Tables and emitters are those of the adapters of LiteRT and ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from nnvet.adapters.files.layout import ModelFile, Port
from nnvet.adapters.runtimes.claims import Graph, Table, element_name
from nnvet.formats.errors import MissingExtraError
from nnvet.hal.operations.declaration import Argument


@dataclass(frozen=True)
class FileFormat:
    """A form of model files. ``emit`` writes a graph all of whose calls the table claims."""

    name: str
    table: Table[Any]
    emit: Callable[[Graph], ModelFile]


def file_format(name: str) -> FileFormat:
    """Return the form of a name among :data:`FORMATS`.

    :raises MissingExtraError: what writes such files is not installed.
    """
    return FORMATS[name]()


def _tflite() -> FileFormat:
    # Whoever writes the one form need not have what writes the other.
    try:
        from nnvet.adapters.litert.writing import TABLE, TFLITE_SUFFIX, emit_model  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("flatbuffers", "litert", "writing TFLite files") from error

    def emit(graph: Graph) -> ModelFile:
        emitter = emit_model(graph)
        places = [[emitter.place(argument) for argument in side] for side in (graph.inputs, graph.outputs)]
        inputs, outputs = (
            tuple(
                _port(position, f"op{index}", argument)
                for position, (index, argument, place) in enumerate(zip(indexes, side, found, strict=True))
                if place is not None
            )
            for indexes, side, found in zip(_ends(graph), (graph.inputs, graph.outputs), places, strict=True)
        )
        given, results = ([place for place in side if place is not None] for side in places)
        return ModelFile(TFLITE_SUFFIX, emitter.writer.finish(given, results) if results else b"", inputs, outputs)

    return FileFormat("tflite", TABLE, emit)


def _onnx() -> FileFormat:
    try:
        from nnvet.adapters.onnxruntime.program import Forms, emit_model  # noqa: PLC0415
        from nnvet.adapters.onnxruntime.table import TABLE  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "onnx", "onnx", "writing ONNX files") from error

    def emit(graph: Graph) -> ModelFile:
        emitter = emit_model(graph, Forms())
        named = [(position, argument, emitter.place(argument)) for position, argument in enumerate(graph.inputs)]
        inputs = tuple(_port(position, name, argument) for position, argument, name in named if emitter.is_input(name))
        named = [(position, argument, emitter.place(argument)) for position, argument in enumerate(graph.outputs)]
        computed = [entry for entry in named if entry[2] and 0 not in entry[1].dimensions]
        outputs = tuple(_port(position, name, argument) for position, argument, name in computed)
        content = emitter.finish([(name, argument) for _, argument, name in computed]) if computed else b""
        return ModelFile(".onnx", content, inputs, outputs)

    return FileFormat("onnx", TABLE, emit)


FORMATS: Final[dict[str, Callable[[], FileFormat]]] = {"tflite": _tflite, "onnx": _onnx}
"""Functions that load each format, by its name; the first format is the default."""


def _ends(graph: Graph) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return graph.subgraph.input_indexes, graph.subgraph.output_indexes


def _port(position: int, name: str, argument: Argument) -> Port:
    return Port(position, name, element_name(argument.type), argument.dimensions)
