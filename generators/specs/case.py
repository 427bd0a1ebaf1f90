"""Named cases made from the examples of a spec file, and the test model of each case.

Names, versions and flags are known at once; values are converted when a case is built. Source:
docs/contract/spec-format.md 5 to 11.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from nnvet.formats.errors import SpecError
from nnvet.generators.reducer.evaluation import NotReducibleError, complete
from nnvet.generators.specs.example import Example, feed
from nnvet.generators.specs.model import SpecModel, SpecOperation, SubgraphReference
from nnvet.generators.specs.operand_type import Registry, describe, is_whole_network, spec_name
from nnvet.generators.specs.operands import SpecOperand
from nnvet.generators.specs.variations import (
    AllInputsAsInternalCoverter,
    AllTensorsAsInputsConverter,
    DefaultVariation,
    ModelVariation,
    SkipVariation,
)
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.model import VERSIONS, TestModel, TestOperand, TestSubgraph, Traits, operation_code
from nnvet.hal.enums import CONSTANTS
from nnvet.hal.types import FeatureLevel, OperandLifeTime

_HOLDERS: Final = (*CONSTANTS, OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT)


@dataclass(frozen=True)
class CompiledSpec:
    """A spec model as test subgraphs without values: the main one, then the referenced ones; ``models`` made them."""

    subgraphs: tuple[TestSubgraph, ...]
    models: tuple[SpecModel, ...]

    def valued(self) -> tuple[TestSubgraph, ...]:
        """Return the subgraphs with all values.

        :raises ValueError: values do not fit their types.
        """
        return tuple(
            _with_values(subgraph, model, CONSTANTS if position else _HOLDERS)
            for position, (subgraph, model) in enumerate(zip(self.subgraphs, self.models, strict=True))
        )

    def check_counts(self, subgraphs: tuple[TestSubgraph, ...]) -> None:
        """Check that every operand of these subgraphs has as many values as its dimensions require.

        :raises ValueError: an operand has too few or too many values; the text names the operand.
        """
        for subgraph, model in zip(subgraphs, self.models, strict=True):
            for name, operand in zip(model.operands, subgraph.operands, strict=True):
                # An operand without any values is omitted; a dimension of 0 is unknown.
                if operand.is_ignored or operand.data is None or not operand.data.size or not operand.dimensions:
                    continue
                wanted = math.prod(operand.dimensions)
                if wanted and operand.data.size != wanted:
                    shape = list(operand.dimensions)
                    raise ValueError(f"operand {name!r}: {operand.data.size} values for {wanted} elements of {shape}")


def compile_model(model: SpecModel) -> CompiledSpec:
    """Return the model's subgraphs; referenced ones are numbered as a walk through the operands first meets them.

    :raises ValueError: a cycle, or an unknown operation.
    """
    compiler = _Compiler()
    main = compiler.subgraph(model)
    referenced = [compiler.referenced[index] for index in range(len(compiler.models))]
    return CompiledSpec((main, *referenced), (model, *compiler.models))


def _with_values(subgraph: TestSubgraph, model: SpecModel, holders: Container[OperandLifeTime]) -> TestSubgraph:
    operands = tuple(
        operand.finished if operand.lifetime in holders else outline
        for operand, outline in zip(model.operands.values(), subgraph.operands, strict=True)
    )
    return TestSubgraph(operands, subgraph.operations, subgraph.input_indexes, subgraph.output_indexes)


class _Compiler:
    """Keeps the numbers of referenced models while subgraphs are compiled."""

    def __init__(self) -> None:
        self.indexes: dict[int, int] = {}
        self.models: list[SpecModel] = []
        self.referenced: dict[int, TestSubgraph] = {}

    def subgraph(self, model: SpecModel) -> TestSubgraph:
        graph = GraphBuilder()
        indexes = {name: graph.add(self.operand(operand)) for name, operand in model.operands.items()}
        for operation in sort_operations(model.operations):
            inputs, outputs = (
                [indexes[operand.name] for operand in side] for side in (operation.inputs, operation.outputs)
            )
            graph.operation(operation_code(operation.kind), tuple(inputs), *outputs)
        return graph.finish_subgraph()

    def operand(self, operand: SpecOperand) -> TestOperand:
        if isinstance(operand, SubgraphReference):
            return replace(operand.outline, data=np.array([self.reference(operand.model)], np.uint32))
        return operand.outline

    def reference(self, model: SpecModel) -> int:
        if id(model) not in self.indexes:
            # The number is taken before the model's own references are met.
            index = self.indexes[id(model)] = len(self.models)
            self.models.append(model)
            self.referenced[index] = self.subgraph(model)
        return self.indexes[id(model)]


def sort_operations(operations: list[SpecOperation]) -> list[SpecOperation]:
    """Return operations in declared order, but each behind the operations that make its inputs (depth first).

    :raises ValueError: an operation needs its own result.
    """
    producers: dict[str, list[SpecOperation]] = {}
    for operation in operations:
        for operand in operation.outputs:
            producers.setdefault(operand.name, []).append(operation)
    if producers.keys().isdisjoint(operand.name for operation in operations for operand in operation.inputs):
        return operations
    finished: dict[SpecOperation, bool] = {}
    ordered: list[SpecOperation] = []
    for root in operations:
        stack = [] if finished.get(root) else [root]
        while stack:
            operation = stack[-1]
            finished[operation] = False
            needed = (maker for operand in operation.inputs for maker in producers.get(operand.name, ()))
            waiting = next((maker for maker in needed if not finished.get(maker)), None)
            if waiting is None:
                finished[operation] = True
                ordered.append(stack.pop())
            elif waiting in finished:
                raise ValueError(f"the operations form a cycle through {waiting.kind}")
            else:
                stack.append(waiting)
    return ordered


_Combination = tuple[ModelVariation, ...]


@dataclass(frozen=True, eq=False)
class SpecCase:
    """One test of a spec file. ``min_supported_version`` is None for UNKNOWN.

    ``line`` is that of its Example.
    """

    name: str
    path: Path
    line: int
    expect_failure: bool
    is_relaxed: bool
    min_supported_version: FeatureLevel | None
    expected_multinomial_distribution_tolerance: float
    traits: Traits
    model: SpecModel

    def build(self) -> TestModel:
        """Return the test model, with all values; where error bounds judge, expected ones are the oracle's.

        :raises SpecError: the values do not fit their types, the graph has a cycle, or no oracle can compute it.
        """
        try:
            subgraphs = self._compiled.valued()
            # A test that the driver has to refuse may also have a wrong number of values.
            if not self.expect_failure:
                self._compiled.check_counts(subgraphs)
            test = self._test(subgraphs)
            return complete(test)[0] if self.traits.is_bounded else test
        except (ValueError, TypeError, NotReducibleError) as error:
            raise self._error(error) from error

    @cached_property
    def outline(self) -> TestModel:
        """Return the test model without any data, which is cheap and suffices to decide what to run.

        :raises SpecError: the graph has a cycle.
        """
        return self._test(self._compiled.subgraphs)

    @cached_property
    def _compiled(self) -> CompiledSpec:
        try:
            return compile_model(self.model)
        except (ValueError, TypeError) as error:
            raise self._error(error) from error

    def _test(self, subgraphs: tuple[TestSubgraph, ...]) -> TestModel:
        return TestModel(
            name=self.name,
            main=subgraphs[0],
            referenced=subgraphs[1:],
            is_relaxed=self.is_relaxed,
            expected_multinomial_distribution_tolerance=self.expected_multinomial_distribution_tolerance,
            expect_failure=self.expect_failure,
            min_supported_version=self.min_supported_version,
            traits=self.traits,
        )

    def _error(self, error: Exception) -> SpecError:
        return SpecError(self.path, self.line, f"{self.name}: {describe(error)}")


def expand(examples: Iterable[Example], path: Path) -> list[SpecCase]:
    """Return every case of a file's examples, in the order in which the language names them.

    :raises SpecError: an example does not fit its model, or a variation its operands.
    """
    cases: list[SpecCase] = []
    for example in _merged(examples):
        try:
            cases += _cases(example, path)
        except Exception as error:
            raise SpecError(path, example.line, describe(error)) from error
    return cases


def _merged(examples: Iterable[Example]) -> list[Example]:
    """Merge examples of one model, one name and the same variation objects into one with all their data sets."""
    merged: dict[tuple[object, ...], Example] = {}
    for example in examples:
        variations = tuple(tuple(id(variation) for variation in group) for group in example.groups)
        first = merged.setdefault((id(example.model), example.name, variations), example)
        if first is not example:
            first.feeds += example.feeds
    return list(merged.values())


def _lifetime_groups(example: Example) -> list[list[ModelVariation]]:
    """Return the groups added by default to examples of one operation."""
    if not example.has_lifetime_variation or len(example.model.operations) != 1 or example.multinomial_tolerance:
        return []
    return [[DefaultVariation(), AllTensorsAsInputsConverter()], [DefaultVariation(), AllInputsAsInternalCoverter()]]


def _cases(example: Example, path: Path) -> Iterator[SpecCase]:
    groups = [*example.groups, *_lifetime_groups(example)]
    for data_set in example.feeds:
        fed = feed(example.model, data_set, only_inputs=example.has_error_bounds)
        for model, combination in _varied(fed, groups):
            yield _case(example, path, model, combination)


def _varied(model: SpecModel, groups: Sequence[Sequence[ModelVariation]]) -> Iterator[tuple[SpecModel, _Combination]]:
    """Yield the model in all combinations of variations; the first group varies slowest."""
    if not groups:
        yield model, ()
        return
    for variation in groups[0]:
        # The part that a combination shares with the previous one is computed once.
        varied = model if type(variation) is DefaultVariation else model.twin()
        try:
            variation.apply(varied)
        except SkipVariation:
            continue
        for result, others in _varied(varied, groups[1:]):
            yield result, (variation, *others)


def _case(example: Example, path: Path, model: SpecModel, combination: _Combination) -> SpecCase:
    labels = [variation.default_name() if variation.name is None else variation.name for variation in combination]
    parts = [str(part) for part in (spec_name(path), model.name, example.name, *labels) if part]
    name = Registry.tests.unique("_".join(parts), "_", 2)
    version = None if model.is_relaxed else Example.version_overrides.get(name, model.version)
    return SpecCase(
        name=name,
        path=path,
        line=example.line,
        expect_failure=example.expect_failure,
        is_relaxed=bool(model.is_relaxed),
        min_supported_version=None if version is None else VERSIONS[version],
        expected_multinomial_distribution_tolerance=float(example.multinomial_tolerance),
        traits=Traits(
            is_whole_network=is_whole_network(path),
            is_lifetime_variant=any(variation.is_lifetime_variant for variation in combination),
            has_placeholders=any(variation.adds_placeholders for variation in combination),
            is_bounded=example.has_error_bounds,
        ),
        model=model,
    )
