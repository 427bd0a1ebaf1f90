"""Graphs: numbering, order of operations, subgraphs.

Expectations are derived by hand from docs/contract/spec-format.md 5.
"""

from itertools import pairwise

import pytest

from nnvet.generators.specs import SpecError
from nnvet.hal.types import OperandLifeTime, OperandType, OperationType
from tests.generators.specs.loading import LoadCases

TENSORS = """
def tensor(kind, name):
    return kind(name, "TENSOR_FLOAT32", "{1}")
"""


def test_operands_are_numbered_as_they_are_added(load: LoadCases) -> None:
    """Indexes follow the first addition; inputs and outputs of the model are in operand order."""
    cases = load(
        TENSORS
        + """
a, b, c = (tensor(Input, n) for n in "abc")
y, z = (tensor(Output, n) for n in "yz")
model = Model()
model.IdentifyInputs(c, a, b)
model.Operation("ADD", a, b, 0).To(z).Operation("ADD", b, b, 0).To(y)
Example({a: 1, b: 2, c: 3, y: 4, z: 5})
"""
    )
    main = cases["s"].build().main
    # c, a, b, param, z, param1, y
    assert (main.input_indexes, main.output_indexes) == ((0, 1, 2), (4, 6))
    assert [o.data.tolist() for o in (*main.inputs, *main.outputs)] == [[3], [1], [2], [5], [4]]
    assert [(o.inputs, o.outputs) for o in main.operations] == [((1, 2, 3), (4,)), ((2, 2, 5), (6,))]


def test_operations_follow_their_producers(load: LoadCases) -> None:
    """Operations are emitted depth first in declared order: producers of inputs first, in input order."""
    cases = load(
        TENSORS
        + """
x, y = tensor(Input, "x"), tensor(Output, "y")
a, b, c = (tensor(Internal, n) for n in "abc")
model = Model().Operation("ADD", b, a, 0).To(y).Operation("MUL", c).To(a).Operation("SUB", c).To(b)
model.Operation("DIV", x).To(c)
Example({x: 1, y: 2})
"""
    )
    order = [OperationType(operation.type).name for operation in cases["s"].build().main.operations]
    assert order == ["DIV", "SUB", "MUL", "ADD"]


def test_cycles_are_refused(load: LoadCases) -> None:
    """A graph in which an operation needs its own result cannot be built."""
    cases = load(
        TENSORS
        + """
x, y, a, b = tensor(Input, "x"), tensor(Output, "y"), tensor(Internal, "a"), tensor(Internal, "b")
Model().Operation("ADD", x, b, 0).To(a).Operation("MUL", a).To(b).Operation("SUB", a).To(y)
Example({x: 1, y: 2})
"""
    )
    with pytest.raises(SpecError, match="cycle"):
        cases["s"].build()


def test_long_chains_are_sorted(load: LoadCases) -> None:
    """The depth of a graph is not limited by Python's stack."""
    cases = load(
        TENSORS
        + """
nodes = [tensor(Input, "x"), *(tensor(Internal, f"t{i}") for i in range(3000)), tensor(Output, "y")]
model = Model()
for source, target in reversed(list(zip(nodes, nodes[1:]))):
    model.Operation("RELU", source).To(target)
Example({nodes[0]: 1, nodes[-1]: 1})
"""
    )
    operations = cases["s"].build().main.operations
    assert len(operations) == 3001
    assert all(before.outputs == after.inputs for before, after in pairwise(operations))


@pytest.mark.parametrize("call", ["IdentifyInputs(b, a)", "IdentifyInputs(a)", "IdentifyOutputs(a)"])
def test_identified_operands_must_be_all(load: LoadCases, call: str) -> None:
    """IdentifyInputs and IdentifyOutputs refuse a model whose inputs or outputs are others, or in other order."""
    text = f'a, b = (tensor(Input, n) for n in "ab")\nmodel = Model().Operation("ADD", a, b, 0)\nmodel.{call}\n'
    with pytest.raises(SpecError, match=r"the model's (in|out)puts are") as caught:
        load(TENSORS + text)
    assert caught.value.line == 6


SUBGRAPHS = """
def unary(op, name=None):
    x, y = tensor(Input, "x"), tensor(Output, "y")
    return Model(name).Operation(op, x).To(y)

inner, left, right = unary("RELU"), Model("left"), unary("TANH", "right")
s, t = tensor(Input, "s"), tensor(Output, "t")
left.Operation("IF", Parameter("k", "TENSOR_BOOL8", "{1}", [True]), inner, right, s).To(t)
c, i, o = Input("c", "TENSOR_BOOL8", "{1}"), tensor(Input, "i"), tensor(Output, "o")
main = Model("main").Operation("IF", c, left, right, i).To(o)
main.Operation("IF", c, SubgraphReference("again", left), inner, i).To(tensor(Internal, "unused"))
Example({c: True, i: 1, o: 1})
assert (inner.name, left.name) == ("param", "left")
"""


def test_subgraphs_are_numbered_as_they_are_met(load: LoadCases) -> None:
    """References are numbered depth first in operand order; one model has one number."""
    model = load(TENSORS + SUBGRAPHS)["s_main"].build()
    # main meets left (0), which meets inner (1) and right (2).
    references = [[o.data.tolist() for o in g.operands if o.type == OperandType.SUBGRAPH] for g in model.subgraphs]
    assert references == [[[0], [2], [0], [1]], [[1], [2]], [], []]
    firsts = [OperationType(graph.operations[0].type).name for graph in model.referenced]
    assert firsts == ["IF", "RELU", "TANH"]
    assert {o.lifetime for g in model.subgraphs for o in g.operands if o.type == OperandType.SUBGRAPH} == {
        OperandLifeTime.SUBGRAPH
    }


def test_inner_inputs_and_outputs_have_no_data(load: LoadCases) -> None:
    """Only the main subgraph's arguments carry data; constants carry it everywhere."""
    model = load(TENSORS + SUBGRAPHS)["s_main"].build()
    inner = [o for graph in model.referenced for o in (*graph.inputs, *graph.outputs)]
    assert [o.data for o in inner] == [None] * 6
    assert model.referenced[0].operands[0].data.tolist() == [1]


def test_unknown_operations_cannot_be_built(load: LoadCases) -> None:
    """Operation names are looked at when a case is built; the experimental DENSIFY has its own code."""
    cases = load(
        TENSORS
        + """
x, y = tensor(Input, "x"), tensor(Output, "y")
for name in ("DENSIFY", "ADDD"):
    Model(name).Operation(name, x).To(y)
    Example({x: 1, y: 1})
"""
    )
    assert cases["s_DENSIFY"].build().main.operations[0].type == 20000
    with pytest.raises(SpecError, match="no operation 'ADDD'"):
        cases["s_ADDD"].build()


def test_outputs_need_an_operation(load: LoadCases) -> None:
    """To() before any operation is refused."""
    with pytest.raises(SpecError, match="needs an operation"):
        load('Model().To(Output("y", "INT32", ""))')
