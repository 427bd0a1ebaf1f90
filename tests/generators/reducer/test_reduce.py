"""The reducer, tried on planted failures whose smallest form is known.

``planted.py`` has the graphs and the predicates that decide which models fail. No driver is involved.
"""

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.generators.random_graphs.named import GRAPH_TESTS
from nnvet.generators.reducer import Ending, Identity, ReductionStep, reduce
from nnvet.generators.reducer.search import content_digest, smallest
from nnvet.generators.specs import load_spec
from nnvet.graphs.builder import GraphBuilder
from nnvet.graphs.editor import map_operands
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel, TestSubgraph
from nnvet.hal.types import FeatureLevel, OperandLifeTime, OperandType, SymmPerChannelQuantParams
from nnvet.hal.validation import required_level
from tests.generators.reducer.planted import FLOAT, OTHER, WRONG, Counting, O, chain, feeds, kinds_of

LARGE = [graph for graph in GRAPH_TESTS if graph.size == "Large"]


def test_one_operation_is_left_of_a_long_chain() -> None:
    """A failure of one operation is reduced to that operation, with one element, in few executions."""
    test = chain(*[O.TANH] * 20, O.FLOOR, *[O.ABS] * 20)
    fails = Counting(lambda model: WRONG if O.FLOOR in kinds_of(model) else None)
    found = reduce(test, fails, WRONG)
    assert (found.ending, kinds_of(found.test)) == (Ending.MINIMAL, [O.FLOOR])
    assert found.test.main.outputs[0].dimensions == (1, 1)
    assert found.executions == len(fails.asked) <= 25


def test_two_operations_are_left_where_one_has_to_feed_the_other() -> None:
    """The reducer bypasses operations between the two and cuts off those before and after them."""
    test = chain(O.TANH, O.ABS, O.LOGISTIC, O.RELU, O.TANH, O.FLOOR, O.NEG)
    depends = Counting(lambda model: WRONG if _reaches(model, O.LOGISTIC, O.FLOOR) else None)
    found = reduce(test, depends, WRONG)
    assert kinds_of(found.test) == [O.LOGISTIC, O.FLOOR]
    assert feeds(found.test, O.LOGISTIC, O.FLOOR)


def _reaches(test: TestModel, first: int, last: int) -> bool:
    """Return True if an operation of type ``last`` depends on one of type ``first``, directly or indirectly."""
    reached: set[int] = set()
    for operation in test.main.operations:
        depends = operation.type == first or not reached.isdisjoint(operation.inputs)
        if operation.type == last and not reached.isdisjoint(operation.inputs):
            return True
        reached.update(operation.outputs if depends else ())
    return False


@pytest.mark.parametrize("graph", LARGE, ids=lambda graph: graph.name)
def test_pairs_in_random_graphs(graph: object) -> None:
    """A failure that needs an edge between two types, in a graph of forty operations, is reduced in 200 executions."""
    test = graph.make(1)  # type: ignore[attr-defined]
    maker = {index: operation.type for operation in test.main.operations for index in operation.outputs}
    edges = [(maker[i], operation.type) for operation in test.main.operations for i in operation.inputs if i in maker]
    first, second = edges[len(edges) // 2]
    found = reduce(test, lambda model: WRONG if feeds(model, first, second) else None, WRONG, 200)
    assert kinds_of(found.test) == [first, second]


def test_another_failure_is_not_accepted() -> None:
    """The reducer rejects a smaller test that fails for another reason."""
    test = chain(O.TANH, O.FLOOR, O.ABS)

    def judge(model: TestModel) -> Identity | None:
        return WRONG if len(model.main.operations) > 1 and O.FLOOR in kinds_of(model) else OTHER

    fails = Counting(judge)
    found = reduce(test, fails, WRONG)
    assert len(found.test.main.operations) == 2
    assert judge(found.test) == found.identity == WRONG
    assert any(judge(model) == OTHER for model in fails.asked)


def test_only_valid_models_are_executed_each_once_with_right_outputs() -> None:
    """Every candidate is valid, different from the others, and has right expected outputs, here of ABS and NEG."""
    test = chain(O.ABS, O.NEG, O.ABS, O.NEG, dimensions=(4, 2))
    fails = Counting(lambda candidate: WRONG if O.NEG in kinds_of(candidate) else None)
    reduce(test, fails, WRONG)
    assert len({content_digest(candidate) for candidate in fails.asked}) == len(fails.asked) > 3
    for candidate in fails.asked:
        model = build_model(candidate)
        required_level(model)
        close_pools(model)
        value = candidate.main.inputs[0].data
        for kind in kinds_of(candidate):
            value = np.abs(value) if kind == O.ABS else -value
        assert candidate.main.outputs[0].data.tolist() == value.tolist()


def test_the_budget_is_kept_and_the_best_so_far_comes_back() -> None:
    """The reducer stops after the allowed number of executions, and returns a smaller test that still fails."""
    test = chain(*[O.TANH] * 20, O.FLOOR, *[O.ABS] * 20)
    fails = Counting(lambda model: WRONG if O.FLOOR in kinds_of(model) else None)
    found = reduce(test, fails, WRONG, 4)
    assert (found.ending, found.executions, len(fails.asked)) == (Ending.BUDGET, 4, 4)
    assert O.FLOOR in kinds_of(found.test)
    assert len(found.test.main.operations) < 41


def test_an_interruption_gives_the_best_so_far() -> None:
    """Ctrl-C ends the search, not the program: the best test so far is returned."""
    test = chain(*[O.TANH] * 20, O.FLOOR, *[O.ABS] * 20)

    def judge(model: TestModel) -> Identity | None:
        if len(fails.asked) == 6:
            raise KeyboardInterrupt
        return WRONG if O.FLOOR in kinds_of(model) else None

    fails = Counting(judge)
    found = reduce(test, fails, WRONG)
    assert found.ending is Ending.INTERRUPTED
    assert 1 < len(found.test.main.operations) < 41


def test_what_does_not_fail_is_not_reduced() -> None:
    """A test that does not fail is not reduced; one execution shows it."""
    test = chain(O.TANH, O.ABS)
    found = reduce(test, lambda _: None, WRONG)
    assert (found.ending, found.test, found.executions) == (Ending.NOT_REPRODUCED, test, 1)
    assert "does not fail" in found.obstacle


def test_what_the_oracle_cannot_compute_is_not_reduced() -> None:
    """If the oracle cannot compute an operation, the result names it and nothing is executed."""
    test = chain(O.TANH, O.CONV_2D)
    found = reduce(test, lambda _: WRONG, WRONG)
    assert (found.ending, found.executions) == (Ending.NOT_REPRODUCED, 0)
    assert "CONV_2D" in found.obstacle


def test_operations_of_extensions_are_not_reduced() -> None:
    """The oracle does not know the operations of extensions, so the result names the operation as the obstacle."""
    (path,) = BUNDLED_SPECS.rglob("extension_to_fixed64.mod.py")
    found = reduce(load_spec(path)[0].build(), lambda _: WRONG, WRONG)
    assert (found.ending, found.executions) == (Ending.NOT_REPRODUCED, 0)
    assert "no meaning for nnvet.example::" in found.obstacle


def test_a_loop_is_run_once_in_line() -> None:
    """A failure of an operation in the body of a WHILE is reduced to that operation alone."""
    (path,) = BUNDLED_SPECS.rglob("while_loops.mod.py")
    found = reduce(load_spec(path)[0].build(), lambda model: WRONG if _anywhere(model, O.ADD) else None, WRONG)
    assert (kinds_of(found.test), found.test.referenced) == ([O.ADD], ())


def test_equal_arguments_give_equal_results() -> None:
    """Two reductions of the same test give the same result by the same number of executions."""
    test = LARGE[0].make(3)
    last = test.main.operations[-1].type
    runs = [reduce(test, lambda model: WRONG if last in kinds_of(model) else None, WRONG) for _ in range(2)]
    assert content_digest(runs[0].test) == content_digest(runs[1].test)
    assert runs[0].executions == runs[1].executions


def test_every_execution_is_watched() -> None:
    """The observer gets one step for each execution, with its number, the budget and a description."""
    steps: list[ReductionStep] = []
    fails = Counting(lambda model: WRONG if O.FLOOR in kinds_of(model) else None)
    found = reduce(chain(O.TANH, O.FLOOR), fails, WRONG, 50, steps.append)
    assert [step.executions for step in steps] == list(range(1, found.executions + 1))
    assert {step.budget for step in steps} == {50}
    assert all(step.trying for step in steps)


def test_smallest_part() -> None:
    """The search returns exactly the m needed items of n, wherever they are, in about m * log2(n) calls."""
    calls = []

    def holds(kept: list[int]) -> bool:
        calls.append(kept)
        return {3, 17, 30} <= set(kept)

    assert smallest(range(32), holds) == [3, 17, 30]
    assert len(calls) <= 3 * 6
    assert smallest("abc", lambda kept: kept == list("abc")) == list("abc")


def _conv(scales: SymmPerChannelQuantParams | None) -> TestModel:
    """Return a quantised CONV_2D with padding, strides, bias and (with ``scales``) a per-channel filter, and RELU."""
    graph = GraphBuilder()
    image = graph.input(OperandType.TENSOR_QUANT8_ASYMM, (1, 5, 5, 3), np.arange(75), 0.5, 3)
    kind = OperandType.TENSOR_QUANT8_ASYMM if scales is None else OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
    weights = graph.constant(kind, (4, 2, 2, 3), np.arange(48), *((0.25, 1) if scales is None else ()))
    if scales is not None:
        graph._operands[weights] = replace(graph._operands[weights], channel_quant=scales)
    bias = graph.constant(OperandType.TENSOR_INT32, (4,), [1, 2, 3, 4], 0.125 if scales is None else 0.0)
    scalars = [graph.scalar(OperandType.INT32, value) for value in (1, 1, 1, 1, 2, 2, 1)]
    middle = graph.temporary(OperandType.TENSOR_QUANT8_ASYMM, (1, 3, 3, 4), 4.0, 0)
    graph.operation(O.CONV_2D, (image, weights, bias, *scalars), middle)
    graph.operation(O.RELU, (middle,), graph.output(OperandType.TENSOR_QUANT8_ASYMM, (1, 3, 3, 4), [0] * 36, 4.0, 0))
    return graph.finish("conv", FeatureLevel.FL3)


BY_CHANNELS = SymmPerChannelQuantParams((0.5, 0.25, 0.125, 1.0), 0)


@pytest.mark.parametrize("scales", [None, BY_CHANNELS], ids=["plain", "channels"])
def test_a_convolution_becomes_as_plain_as_can_be(scales: SymmPerChannelQuantParams | None) -> None:
    """A convolution is reduced to one cell without padding, strides and activation; per-channel scales are cut, too."""
    found = reduce(_conv(scales), lambda model: WRONG if O.CONV_2D in kinds_of(model) else None, WRONG)
    main = found.test.main
    assert kinds_of(found.test) == [O.CONV_2D]
    image, weights, bias, *scalars = (main.operands[index] for index in main.operations[0].inputs)
    assert (image.dimensions, weights.dimensions, bias.dimensions) == ((1, 1, 1, 1), (1, 1, 1, 1), (1,))
    assert [scalar.data.item() for scalar in scalars] in ([0, 0, 0, 0, 1, 1, 0], [1, 1, 1, 0])
    assert not bias.data.any()
    if scales is None:
        assert image.type == FLOAT
    else:
        assert weights.channel_quant == SymmPerChannelQuantParams((0.5,), 0)


def test_sizes_are_the_least_that_fail() -> None:
    """A failure that needs 37 elements or more, as of a vectorised loop, is reduced to exactly 37, by bisection."""
    fails = Counting(lambda model: WRONG if model.main.inputs[0].data.size >= 37 else None)
    found = reduce(chain(O.TANH, O.FLOOR, dimensions=(900, 1)), fails, WRONG)
    assert found.test.main.inputs[0].dimensions == (37, 1)
    assert found.executions <= 40


def test_types_stay_where_the_failure_needs_them() -> None:
    """A failure that needs float16 keeps that type; any other failure is reduced to float32."""
    half = OperandType.TENSOR_FLOAT16
    test = map_operands(
        chain(O.TANH, O.FLOOR, O.ABS),
        lambda operand: replace(
            operand, type=half, data=None if operand.data is None else operand.data.astype(np.float16)
        ),
    )
    found = reduce(test, lambda model: WRONG if model.main.outputs[0].type == half else None, WRONG)
    assert {operand.type for operand in found.test.main.operands} == {half}
    found = reduce(test, lambda model: WRONG if O.FLOOR in kinds_of(model) else None, WRONG)
    assert {operand.type for operand in found.test.main.operands} == {FLOAT}


def test_values_stay_where_the_failure_needs_them() -> None:
    """A failure that needs a negative input keeps one negative element, rounded to a whole number if possible."""
    test = chain(O.TANH, O.FLOOR)

    def judge(model: TestModel) -> Identity | None:
        return WRONG if O.TANH in kinds_of(model) and (model.main.inputs[0].data < 0).any() else None

    found = reduce(test, judge, WRONG)
    assert kinds_of(found.test) == [O.TANH]
    assert found.test.main.inputs[0].data.tolist() == [-1.0]


def _branching() -> TestModel:
    """Return an IF with the branches TANH, FLOOR and ABS, RELU; its condition is a constant that selects the first."""

    def branch(*kinds: int) -> TestSubgraph:
        graph = GraphBuilder()
        given = replace(chain(O.ABS).main.inputs[0], data=None)
        lifetimes = [OperandLifeTime.TEMPORARY_VARIABLE] * (len(kinds) - 1) + [OperandLifeTime.SUBGRAPH_OUTPUT]
        last = graph.add(given)
        for kind, lifetime in zip(kinds, lifetimes, strict=True):
            last = graph.operation(kind, (last,), graph.add(replace(given, lifetime=lifetime)))
        return graph.finish_subgraph()

    graph = GraphBuilder()
    value = graph.input(FLOAT, (2, 3), np.linspace(-1, 1, 6))
    condition = graph.constant(OperandType.TENSOR_BOOL8, (1,), [1])
    inputs = (condition, graph.subgraph(0), graph.subgraph(1), value)
    graph.operation(O.IF, inputs, graph.output(FLOAT, (2, 3), [0] * 6))
    return graph.finish("branching", FeatureLevel.FL4, (branch(O.TANH, O.FLOOR), branch(O.ABS, O.RELU)))


def test_branches_are_put_in_line() -> None:
    """A failure of an operation in a branch is reduced to that operation, without any subgraph."""
    for kind in (O.FLOOR, O.ABS):
        found = reduce(_branching(), lambda model, kind=kind: WRONG if _anywhere(model, kind) else None, WRONG)
        assert (kinds_of(found.test), found.test.referenced) == ([kind], ())


def test_subgraphs_stay_where_the_failure_needs_them() -> None:
    """A failure of IF keeps both branches, each of which loses one operation."""
    found = reduce(_branching(), lambda model: WRONG if O.IF in kinds_of(model) else None, WRONG)
    assert kinds_of(found.test) == [O.IF]
    assert [len(graph.operations) for graph in found.test.referenced] == [1, 1]


def _anywhere(test: TestModel, kind: int) -> bool:
    return any(operation.type == kind for graph in test.subgraphs for operation in graph.operations)


def test_a_wrong_output_among_many_is_cut_out() -> None:
    """Only the outputs that the failure needs are kept, here two of six."""
    graph = GraphBuilder()
    value = graph.input(FLOAT, (2,), [-1.0, 1.0])
    for kind in (O.ABS, O.RELU, O.TANH, O.FLOOR, O.NEG, O.LOGISTIC):
        graph.operation(kind, (value,), graph.output(FLOAT, (2,), [0, 0]))
    needed = {O.RELU, O.NEG}
    found = reduce(graph.finish("fan"), lambda model: WRONG if needed <= {*kinds_of(model)} else None, WRONG)
    assert kinds_of(found.test) == [O.RELU, O.NEG]
    assert len(found.test.main.inputs) <= 2
    assert all(a != b for a, b in pairwise(found.test.main.output_indexes))
