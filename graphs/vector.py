"""Test vectors: a test as JSON beside one file of raw numbers, for harnesses in any language (docs/reports.md).

Readers need to know nothing but the HAL's names: a vector has operands with type, dimensions, quantisation and
lifetime, operations as lists of operand indexes, and for each value the place of its bytes in the data file.
If a field changes, change docs/reports.md, which describes the fields, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec
import numpy as np

from nnvet.graphs import model as graphs
from nnvet.hal.extensions import known_types
from nnvet.hal.operand_types import type_name
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, SymmPerChannelQuantParams
from nnvet.reports.files import MALFORMED, read_file

FORMAT: Final = "nnvet test vector 1"
"""Value of the field ``format``; it changes with every incompatible change of the format."""
_ALIGNMENT: Final = 8
"""Alignment of values in the data file, in bytes: that of the largest elements."""


class VectorError(Exception):
    """Raised if a file is not a test vector; the text says why."""


class VectorValue(msgspec.Struct, frozen=True):
    """Position of a value: ``length`` bytes from ``offset`` of the data file, little endian, row-major."""

    offset: int
    length: int
    dtype: str


class VectorOperand(msgspec.Struct, frozen=True):
    """An operand. ``code`` is the HAL's number of the type, ``extension_data`` in hexadecimal; see ``TestOperand``."""

    type: str
    code: int
    lifetime: str
    dimensions: tuple[int, ...] = ()
    scale: float = 0.0
    zero_point: int = 0
    channel_scales: tuple[float, ...] = ()
    channel_dimension: int = 0
    is_ignored: bool = False
    extension_data: str | None = None
    value: VectorValue | None = None


class VectorOperation(msgspec.Struct, frozen=True):
    """An operation; ``code`` is its number in the HAL."""

    type: str
    code: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class VectorSubgraph(msgspec.Struct, frozen=True):
    """A subgraph; ``inputs`` and ``outputs`` are operand indexes in the order of the request."""

    operands: tuple[VectorOperand, ...]
    operations: tuple[VectorOperation, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class StatedTolerance(Protocol):
    """The part of the oracle's tolerances that a vector states; test models lie below the oracle."""

    @property
    def absolute(self) -> float:
        """Accepted difference whatever the expected value is."""

    @property
    def relative(self) -> float:
        """Accepted difference as a share of the expected value."""

    @property
    def source(self) -> str:
        """Origin of the numbers."""


class VectorTolerance(msgspec.Struct, frozen=True):
    """Tolerance of each element of an output: a difference of ``absolute + relative * |expected|`` is accepted."""

    output: int
    absolute: float
    relative: float
    source: str


class TestVector(msgspec.Struct, frozen=True):
    """The content of the JSON file: ``subgraphs[0]`` is the main one; ``level`` is None if the model states none."""

    __test__ = False

    format: str
    name: str
    data: str
    level: int | None
    is_relaxed: bool
    expect_failure: bool
    multinomial_tolerance: float
    traits: graphs.Traits
    tolerances: tuple[VectorTolerance, ...]
    provenance: dict[str, str]
    subgraphs: tuple[VectorSubgraph, ...]


def write_vector(
    path: Path,
    test: graphs.TestModel,
    tolerances: Sequence[StatedTolerance | None] = (),
    provenance: Mapping[str, str] | None = None,
) -> None:
    """Write a test to ``path`` and, beside it, a file of the same stem with ``.bin``.

    ``tolerances`` are those of the outputs; None for an output that is not compared element by element.

    :raises OSError: a file cannot be written.
    """
    data = _Data()
    subgraphs = tuple(data.subgraph(graph) for graph in test.subgraphs)
    vector = TestVector(
        format=FORMAT,
        name=test.name,
        data=path.with_suffix(".bin").name,
        level=test.min_supported_version,
        is_relaxed=test.is_relaxed,
        expect_failure=test.expect_failure,
        multinomial_tolerance=test.expected_multinomial_distribution_tolerance,
        traits=test.traits,
        tolerances=tuple(
            VectorTolerance(output, tolerance.absolute, tolerance.relative, tolerance.source)
            for output, tolerance in enumerate(tolerances)
            if tolerance is not None
        ),
        provenance=dict(provenance or {}),
        subgraphs=subgraphs,
    )
    path.with_suffix(".bin").write_bytes(data.content)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(vector), indent=1) + b"\n")


def read_vector(path: Path) -> tuple[graphs.TestModel, TestVector]:
    """Return the test of a vector, and the other contents of its file.

    :raises VectorError: a file cannot be read, or is not a test vector.
    """
    try:
        vector = msgspec.json.decode(read_file(path), type=TestVector)
        if vector.format != FORMAT:
            raise VectorError(f"{path}: the format is {vector.format!r}, not {FORMAT!r}")
        content = read_file(path.parent / Path(vector.data).name)
        main, *referenced = [_subgraph(graph, content) for graph in vector.subgraphs]
        level = None if vector.level is None else FeatureLevel(vector.level)
    except OSError as error:
        raise VectorError(f"{error.filename or path} cannot be read: {error.strerror}") from error
    except (*MALFORMED, ValueError, KeyError) as error:
        raise VectorError(f"{path} is no test vector: {error}") from error
    test = graphs.TestModel(
        name=vector.name,
        main=main,
        referenced=tuple(referenced),
        is_relaxed=vector.is_relaxed,
        expected_multinomial_distribution_tolerance=vector.multinomial_tolerance,
        expect_failure=vector.expect_failure,
        min_supported_version=level,
        traits=vector.traits,
    )
    return test, vector


class _Data:
    """Builder of the data file."""

    def __init__(self) -> None:
        self.content = bytearray()

    def subgraph(self, graph: graphs.TestSubgraph) -> VectorSubgraph:
        return VectorSubgraph(
            tuple(map(self._operand, graph.operands)),
            tuple(
                VectorOperation(
                    graphs.operation_name(operation.type), int(operation.type), operation.inputs, operation.outputs
                )
                for operation in graph.operations
            ),
            graph.input_indexes,
            graph.output_indexes,
        )

    def _operand(self, operand: graphs.TestOperand) -> VectorOperand:
        scales = operand.channel_quant
        return VectorOperand(
            type=type_name(operand.type),
            code=int(operand.type),
            lifetime=OperandLifeTime(operand.lifetime).name,
            dimensions=tuple(int(size) for size in operand.dimensions),
            scale=float(operand.scale),
            zero_point=int(operand.zero_point),
            channel_scales=() if scales is None else tuple(map(float, scales.scales)),
            channel_dimension=0 if scales is None else scales.channel_dim,
            is_ignored=operand.is_ignored,
            extension_data=None if operand.extension_data is None else operand.extension_data.hex(),
            value=None if operand.data is None else self._placed(operand.data),
        )

    def _placed(self, data: graphs.Array) -> VectorValue:
        self.content += bytes(-len(self.content) % _ALIGNMENT)
        offset = len(self.content)
        little = data.astype(data.dtype.newbyteorder("<"), copy=False).tobytes()
        self.content += little
        return VectorValue(offset, len(little), data.dtype.name)


def _subgraph(graph: VectorSubgraph, content: bytes) -> graphs.TestSubgraph:
    operations = (
        graphs.TestOperation(graphs.operation_code(operation.type), operation.inputs, operation.outputs)
        for operation in graph.operations
    )
    operands = (_operand(operand, content) for operand in graph.operands)
    return graphs.TestSubgraph(tuple(operands), tuple(operations), graph.inputs, graph.outputs)


def _operand(operand: VectorOperand, content: bytes) -> graphs.TestOperand:
    kind: int = known_types()[operand.type] if "::" in operand.type else OperandType[operand.type]
    scales = operand.channel_scales
    return graphs.TestOperand(
        type=kind,
        dimensions=operand.dimensions,
        scale=operand.scale,
        zero_point=operand.zero_point,
        lifetime=OperandLifeTime[operand.lifetime],
        channel_quant=SymmPerChannelQuantParams(scales, operand.channel_dimension) if scales else None,
        is_ignored=operand.is_ignored,
        data=None if operand.value is None else _read_value(kind, operand.value, content),
        extension_data=None if operand.extension_data is None else bytes.fromhex(operand.extension_data),
    )


def _read_value(kind: int, value: VectorValue, content: bytes) -> graphs.Array:
    """Read a value.

    :raises ValueError: bytes are missing, or are not a whole number of elements.
    """
    if value.offset < 0 or value.offset + value.length > len(content):
        raise ValueError(f"the data has {len(content)} bytes, a value ends at {value.offset + value.length}")
    found: Any = np.frombuffer(content[value.offset : value.offset + value.length], np.dtype(value.dtype))
    if found.dtype.name != graphs.element_type(kind):
        raise ValueError(f"elements of {type_name(kind)} are {graphs.element_type(kind)}, not {value.dtype}")
    return np.asarray(found)
