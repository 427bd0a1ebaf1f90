"""Pictures of models, in Graphviz' language and in the format of the HAL's own dump.

:func:`graph_dump` returns a model as text, for ``nnvet draw`` and saved failures; :func:`svg_of` has Graphviz' command
``dot`` draw it, where that is installed; :func:`log_graph` gives the lines to the log of a driver. Models are not
checked, so that they can be looked at before they are validated, or because they are invalid. Source:
docs/contract/sample-driver.md 9.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

from nnvet.hal.enums import OperandLifeTime, OperandType
from nnvet.hal.operand_types import type_name
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.types import Model, Operand, Operation, Subgraph


class GraphvizError(Exception):
    """Raised if no picture can be made; the text says why."""


def svg_of(text: str) -> bytes:
    """Return a graph in Graphviz' language as SVG.

    :raises GraphvizError: ``dot`` is not installed, or fails.
    """
    dot = shutil.which("dot")
    if dot is None:
        raise GraphvizError("SVG needs Graphviz, whose command 'dot' is not installed")
    try:
        done = subprocess.run([dot, "-Tsvg"], input=text.encode(), capture_output=True, check=False)
    except OSError as error:
        raise GraphvizError(f"Graphviz cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        raise GraphvizError(f"Graphviz fails: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


_SHORT_NAMES: Final[dict[int, str]] = {
    OperandType.FLOAT32: "F32",
    OperandType.INT32: "I32",
    OperandType.UINT32: "U32",
    OperandType.TENSOR_FLOAT32: "TF32",
    OperandType.TENSOR_INT32: "TI32",
    OperandType.TENSOR_QUANT8_ASYMM: "TQ8A",
    OperandType.TENSOR_OEM_BYTE: "TOEMB",
}
"""Abbreviations of types, as the HAL's own dump has them; other types keep their names."""
_LIFETIMES: Final[dict[int, str]] = {
    OperandLifeTime.SUBGRAPH_INPUT: " = input",
    OperandLifeTime.SUBGRAPH_OUTPUT: " = output",
    OperandLifeTime.CONSTANT_COPY: ": COPY",
    OperandLifeTime.CONSTANT_REFERENCE: ": REF",
    OperandLifeTime.NO_VALUE: ": NO",
    OperandLifeTime.SUBGRAPH: ": SUBGRAPH",
}
"""Texts behind an operand's number, by its lifetime."""
_LISTED: Final = (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)
"""Lifetimes of operands whose position among inputs or outputs is shown."""
_VALUES: Final[dict[int, tuple[str, str]]] = {
    # Six significant digits, as streams of C++ write them.
    OperandType.FLOAT32: ("<f", "g"),
    OperandType.INT32: ("<i", "d"),
    OperandType.UINT32: ("<I", "d"),
}
"""Scalars whose value is shown, with its form in memory and as text."""
_COLOURS: Final = ("#e8f0fe", "#e6f4ea", "#fef7e0", "#fce8e6", "#f3e8fd", "#e4f7fb")
"""Backgrounds of subgraphs, in turn."""


def graph_dump(name: str, model: Model, *, subgraphs: bool = False) -> str:
    """Return the model in Graphviz' language, with ``name`` in a comment; ``subgraphs`` adds the subgraphs."""
    return "".join(f"{line}\n" for line in graph_lines(name, model, subgraphs=subgraphs))


def log_graph(name: str, model: Model, log: Callable[[str], None]) -> None:
    """Give the lines of the dump to ``log``, one by one."""
    for line in graph_lines(name, model):
        log(line)


def graph_lines(name: str, model: Model, *, subgraphs: bool = False) -> Iterator[str]:
    """Yield the lines of :func:`graph_dump`."""
    yield f"// {' '.join(name.splitlines())}"
    yield "digraph {"
    if model.referenced and not subgraphs:
        yield f"// NOTE: {len(model.referenced)} subgraphs omitted"
        yield "// Only the main subgraph is drawn."
    yield from _subgraph_lines(model.main, model)
    for index, subgraph in enumerate(model.referenced if subgraphs else ()):
        yield f"    subgraph cluster_{index} {{"
        yield f'    label="subgraph {index}" style=filled fillcolor="{_COLOURS[index % len(_COLOURS)]}"'
        yield from _subgraph_lines(subgraph, model, f"s{index}_")
        yield "    }"
    yield "}"


def _subgraph_lines(subgraph: Subgraph, model: Model, prefix: str = "") -> Iterator[str]:
    """Yield the lines of a graph's operands and operations; ``prefix`` tells names of subgraphs apart."""
    # An operand that is listed twice is shown at its first position; inputs come before outputs.
    listed: dict[int, int] = {}
    for position, index in chain(enumerate(subgraph.input_indexes), enumerate(subgraph.output_indexes)):
        listed.setdefault(index, position)
    for index, operand in enumerate(subgraph.operands):
        style = "style=filled fillcolor=black fontcolor=white " if index in listed else ""
        yield f'    {prefix}d{index} [{style}label="{_operand_label(index, operand, model, listed)}"]'
    for index, operation in enumerate(subgraph.operations):
        yield from _operation_lines(index, operation, prefix)


def _operand_label(index: int, operand: Operand, model: Model, listed: dict[int, int]) -> str:
    """Return number, lifetime, type, value and dimensions of an operand."""
    place = f"[{listed[index]}]" if operand.lifetime in _LISTED and index in listed else ""
    name = _SHORT_NAMES.get(operand.type) or type_name(operand.type)
    dimensions = f"({'x'.join(map(str, operand.dimensions))})" if operand.dimensions else ""
    return f"{index}{_LIFETIMES.get(operand.lifetime, '')}{place}\\n{name}{_show_value(operand, model)}{dimensions}"


def _show_value(operand: Operand, model: Model) -> str:
    """Return the value of a constant scalar; empty for any other operand."""
    location = operand.location
    if operand.lifetime != OperandLifeTime.CONSTANT_COPY or operand.type not in _VALUES or location.offset < 0:
        return ""
    memory, text = _VALUES[operand.type]
    data = model.operand_values[location.offset : location.offset + max(location.length, 0)]
    return f" = {struct.unpack(memory, data)[0]:{text}}" if len(data) == struct.calcsize(memory) else ""


def _operation_lines(index: int, operation: Operation, prefix: str) -> Iterator[str]:
    """Yield the lines of an operation and its edges."""
    inputs, outputs = len(operation.inputs), len(operation.outputs)
    ordering = "" if max(inputs, outputs) <= 1 else " ordering=in" if inputs >= outputs else " ordering=out"
    yield f'    {prefix}n{index} [shape=box{ordering} label="{index}: {operation_name(operation.type)}"]'
    for label, operand in _label_edges(operation.inputs):
        yield f"    {prefix}d{operand} -> {prefix}n{index}{label}"
    for label, operand in _label_edges(operation.outputs):
        yield f"    {prefix}n{index} -> {prefix}d{operand}{label}"


def _label_edges(operands: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Yield each operand with a label of its position; a single operand has no label."""
    for position, operand in enumerate(operands):
        yield f" [label={position}]" if len(operands) > 1 else "", operand
