"""Text of a spec file that makes a given test model again. Source: docs/contract/spec-format.md 14.

In addition to what Android's dumper writes, these files can have referenced subgraphs, ignored outputs, per-channel
scales, shared memory, the relaxed flag, versions, expected failures, and every operation's HAL name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from nnvet.graphs.model import VERSIONS, Array, TestModel, TestOperand, TestSubgraph, operation_name
from nnvet.hal.operand_types import is_float_array, type_name
from nnvet.hal.types import OperandLifeTime

_L = OperandLifeTime
_CLASSES: Final = {
    _L.SUBGRAPH_INPUT: "Input",
    _L.SUBGRAPH_OUTPUT: "Output",
    _L.TEMPORARY_VARIABLE: "Internal",
    _L.CONSTANT_COPY: "Parameter",
    _L.CONSTANT_REFERENCE: "Parameter",
    _L.NO_VALUE: "Parameter",
}
_VERSION_NAMES: Final = {level: name for name, level in VERSIONS.items()}

_HEADER: Final = """\
# Generated from {name}. Do not edit.

def from_hex(values):
    return [float.fromhex(value) for value in values]

"""


def dump_spec(
    test: TestModel,
    results: Mapping[str, Sequence[Array]] | None = None,
    remarks: Sequence[str] = (),
    programs: Mapping[int, str] | None = None,
    preamble: str = "",
) -> str:
    """Return the text of a spec file; ``results`` are actual outputs by the name of a device or run, for the reader.

    ``remarks`` are lines of comment at the beginning; ``programs`` are expressions that make the values of some
    constants and inputs of the main subgraph, with what ``preamble`` defines. Loading it gives one case: the same model
    up to the order of operands, which changes only where inputs or outputs are not in operand order (inputs and outputs
    keep theirs), and the values of outputs that are not compared, which are read as zeros; what error bounds judge
    gets those of the oracle.
    """
    comments = "".join(f"# {' '.join(remark.split())}\n" for remark in remarks)
    lines = _lines(test, results or {}, programs or {})
    return comments + _HEADER.format(name=test.name) + preamble + "".join(f"{line}\n" for line in lines)


def _lines(test: TestModel, results: Mapping[str, Sequence[Array]], programs: Mapping[int, str]) -> Iterator[str]:
    dumps = [_Subgraph(test.main, "", "model", programs)]
    dumps += [_Subgraph(graph, f"sub{index}_", f"sub{index}", {}) for index, graph in enumerate(test.referenced)]
    yield "# Model operands"
    for dump in dumps[1:]:
        yield f"{dump.name} = Model()"
    for dump in dumps:
        yield from dump.operands()
    # An Example belongs to the model made last: the main one.
    yield from ("", "# Model operations", "model = Model()")
    for dump in dumps:
        yield from dump.operations()
    if test.is_relaxed:
        yield "model = model.RelaxedExecution(True)"
    level = test.min_supported_version
    version = "None" if level is None else f'"{_VERSION_NAMES[level]}"'
    yield f"model = model.IntroducedIn({version})"
    yield from ("", "# Example")
    yield from _example(test, dumps[0])
    for name, arrays in results.items():
        yield from ("", f"# Results from {name}", "{")
        for index, data in zip(test.main.output_indexes, arrays, strict=True):
            yield from dumps[0].entry(index, data)
        yield "}"


def _example(test: TestModel, main: _Subgraph) -> Iterator[str]:
    is_bounded = test.traits.is_bounded
    yield "Example({"
    for index in (*test.main.input_indexes, *(() if is_bounded else test.main.output_indexes)):
        yield from main.entry(index, test.main.operands[index].data)
    tolerance = test.expected_multinomial_distribution_tolerance
    calls = [".DisableLifeTimeVariation()"]
    calls += [".WithErrorBounds()"] if is_bounded else []
    calls += [".ExpectFailure()"] if test.expect_failure else []
    calls += [f".WithMultinomialDistributionTolerance({tolerance!r})"] if tolerance else []
    yield "})" + "".join(calls)


class _Subgraph:
    """Lines of one subgraph, whose operands all carry a prefix."""

    def __init__(self, graph: TestSubgraph, prefix: str, name: str, programs: Mapping[int, str]) -> None:
        self.graph, self.prefix, self.name, self.programs = graph, prefix, name, programs

    def label(self, index: int) -> str:
        return f"{self.prefix}op{index}"

    def operands(self) -> Iterator[str]:
        for index, operand in enumerate(self.graph.operands):
            line = f"{self.label(index)} = {_constructor(operand, self.label(index), self.programs.get(index))}"
            yield from _in_shared_memory(line) if operand.lifetime == _L.CONSTANT_REFERENCE else (line,)

    def operations(self) -> Iterator[str]:
        order = self.declaration_order()
        if order != self.order_of_use():
            labels = ", ".join(map(self.label, order))
            yield f"for operand in [{labels}]: {self.name}.AddOperand(operand)"
        for operation in self.graph.operations:
            inputs = "".join(f", {self.label(index)}" for index in operation.inputs)
            outputs = ", ".join(self.label(index) for index in operation.outputs)
            kind = operation_name(operation.type)
            yield f'{self.name} = {self.name}.Operation("{kind}"{inputs}).To({outputs})'

    def order_of_use(self) -> list[int]:
        """Return the order in which operations alone would number the operands."""
        uses = ((*operation.inputs, *operation.outputs) for operation in self.graph.operations)
        return list(dict.fromkeys(index for slots in uses for index in slots))

    def declaration_order(self) -> list[int]:
        """Return all operands as they are numbered, with inputs and outputs in the order of the request."""
        order = list(range(len(self.graph.operands)))
        for indexes in (self.graph.input_indexes, self.graph.output_indexes):
            for place, index in zip(sorted(indexes), indexes, strict=True):
                order[place] = index
        return order

    def entry(self, index: int, data: Array | None) -> Iterator[str]:
        if index in self.programs:
            yield f"    {self.label(index)}: {self.programs[index]},"
            return
        values = np.empty(0) if data is None else data.reshape(-1)
        if is_float_array(values):
            yield f"    # {_readable(values)}"
        yield f"    {self.label(index)}: {_buffer(values)},"


def _in_shared_memory(line: str) -> tuple[str, str, str]:
    switch = "Configuration.use_shm_for_weights = "
    return switch + "True", line, switch + "False"


def _constructor(operand: TestOperand, label: str, program: str | None) -> str:
    """Return the constructor call of one operand and a readable comment; ``program`` makes its value."""
    if operand.lifetime == _L.SUBGRAPH:
        return f'SubgraphReference("{label}", sub{_values(operand)[0]})'
    kind = "IgnoredOutput" if operand.is_ignored else _CLASSES[OperandLifeTime(operand.lifetime)]
    parts = [f'"{type_name(operand.type)}"', str(list(operand.dimensions))]
    comments = []
    if operand.scale or operand.zero_point:
        parts += [f'float.fromhex("{float(operand.scale).hex()}")', str(operand.zero_point)]
        comments.append(f"scale {operand.scale:.6f}")
    arguments = [f'"{label}"', f"[{', '.join(parts)}]"]
    if operand.lifetime == _L.NO_VALUE:
        arguments.append("value=None")
    elif kind == "Parameter" and program is not None:
        arguments.append(program)
    elif kind == "Parameter":
        values = _values(operand)
        arguments.append(_buffer(values))
        comments += [_readable(values)] if is_float_array(values) else []
    if operand.channel_quant is not None:
        scales = _buffer(np.array(operand.channel_quant.scales))
        arguments.append(
            f"extraParams=SymmPerChannelQuantParams(channelDim={operand.channel_quant.channel_dim}, scales={scales})"
        )
    elif operand.extension_data is not None:
        arguments.append(f"extraParams={operand.extension_data!r}")
    comment = f"  # {', '.join(comments)}" if comments else ""
    return f"{kind}({', '.join(arguments)}){comment}"


def _values(operand: TestOperand) -> Array:
    if operand.data is None:
        raise ValueError(f"an operand of lifetime {OperandLifeTime(operand.lifetime).name} has no data to dump")
    return operand.data.reshape(-1)


def _buffer(values: Array) -> str:
    """Return values as a Python expression: floats exactly, in hexadecimal."""
    if not is_float_array(values) or not values.size:
        return str(values.tolist())
    return f"from_hex([{', '.join(repr(float(value).hex()) for value in values)}])"


def _readable(values: Array) -> str:
    return ", ".join(f"{float(value):.6f}" for value in values)
