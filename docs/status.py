"""The status table: for every operation and operand type, what specifies it, runs it, and vouches for it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nnvet.conformance.engine.library import BUNDLED_SPECS
from nnvet.conformance.rule_counts import recorded_spec_cases
from nnvet.formats.tflite import operators
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.specs import find_specs, load_spec
from nnvet.hal.enums import OperandType, OperationType
from nnvet.hal.operand_types import OPERAND_TYPES, type_name
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import OperationDeclaration, TypeRow
from nnvet.hal.rules import operation_rules
from nnvet.oracle import operations
from nnvet.reference_driver.compiled import CONTROL_FLOW
from nnvet.reference_driver.kernels.registry import kernels

CONVERTERS = Path(operators.__file__).parent
MEANINGS = Path(operations.__file__).parent
EXECUTOR = "executor"
"""Module that runs control flow, which has no kernel."""
BY_HAND = "values by hand in the specs"


@dataclass(frozen=True)
class Status:
    """One row of the table. An empty cell is a hole."""

    operation: str
    operand_type: str
    level: int
    rules: int
    broken: int
    cases: int
    kernel: str
    golden: str
    partner: str


def statuses() -> Iterator[Status]:
    """Every operation with every type of its first tensor."""
    cases, compared, broken = _cases(), partners(), recorded_spec_cases()
    for declaration in declarations().values():
        rules = [rule.id for rule in operation_rules(declaration)]
        for kind, level in _first_types(declaration):
            yield Status(
                declaration.name,
                type_name(kind),
                level,
                len(rules),
                sum(broken.get(rule, 0) for rule in rules),
                cases[declaration.type, kind],
                kernel_module(declaration.type),
                _golden(declaration.type),
                "LiteRT" if declaration.type in compared else "no TFLite operator computes the same",
            )


def kernel_module(operation: int) -> str:
    """Name of the module that computes an operation."""
    if operation in CONTROL_FLOW:
        return EXECUTOR
    kernel = kernels().get(operation)
    return kernel.__module__.rpartition(".")[2] if kernel else ""


def _golden(operation: int) -> str:
    if operation in CONTROL_FLOW:
        return BY_HAND
    wanted = _ALIASES.get(kernel_module(operation), kernel_module(operation))
    return wanted if (MEANINGS / f"{wanted}.py").exists() else ""


_ALIASES = {"depthwise_convolution": "convolution", "transposed_convolution": "convolution"}
"""Kernel modules whose second implementation is in another module."""


def _first_types(declaration: OperationDeclaration) -> Iterator[tuple[int, int]]:
    """Types of the first input, each with the first level that takes it."""
    formal = declaration.signatures[0].inputs[0]
    if isinstance(formal.type, OperandType):
        yield formal.type, declaration.level
        return
    levels: dict[int, int] = {}
    for row in declaration.rows:
        kind = row.types.get(str(formal.type))
        if kind is not None and not _only_refused(declaration, row):
            levels[kind] = min(levels.get(kind, 8), max(row.level, OPERAND_TYPES[kind].level))
    yield from levels.items()


def _only_refused(declaration: OperationDeclaration, row: TypeRow) -> bool:
    # The validator lets quantised divisions pass, and every execution of one fails.
    return declaration.type == OperationType.DIV and OperandType.TENSOR_QUANT8_ASYMM_SIGNED in row.types.values()


def _cases() -> Counter[tuple[int, int]]:
    counted: Counter[tuple[int, int]] = Counter()
    for path in find_specs(BUNDLED_SPECS):
        for case in load_spec(path):
            counted.update(_exercised(case.outline()))
    return counted


def _exercised(test: TestModel) -> set[tuple[int, int]]:
    return {
        (operation.type, subgraph.operands[operation.inputs[0]].type)
        for subgraph in test.subgraphs
        for operation in subgraph.operations
        if operation.inputs
    }


def partners() -> set[OperationType]:
    """Operations that TFLite models are converted into: all of them are compared with LiteRT (tests/formats)."""
    return {
        OperationType[node.attr]
        for path in CONVERTERS.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in OperationType.__members__
    }


def status_table() -> list[str]:
    """The table in Markdown."""
    lines = [
        "| operation | operand type | level | rules (broken) | spec cases | kernel | written again | compared with |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.operation} | {row.operand_type} | FL{row.level} | {row.rules} ({row.broken}) | {row.cases} "
        f"| {row.kernel} | {row.golden} | {row.partner} |"
        for row in statuses()
    ]
    return lines
