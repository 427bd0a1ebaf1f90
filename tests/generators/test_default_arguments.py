"""Longer forms of models: which operations have them, what is added, and that they are valid."""

import numpy as np
import pytest

from nnvet.conformance.suites.default_arguments import DEFAULTS, longer_forms, shortest_forms
from nnvet.graphs.builder import GraphBuilder, sum_of_two
from nnvet.graphs.hal_model import build_model
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.types import OperandType, OperationType
from nnvet.hal.validation import validate_model

SHORTEST = dict(shortest_forms())
OPTIONAL = {
    (declaration.name, signature.name): signature.inputs[min(signature.lengths) :]
    for declaration in declarations().values()
    for signature in declaration.signatures
    if len(signature.lengths) > 1
}
"""Arguments that may be left out, by operation and signature."""


def test_every_optional_argument_has_a_default() -> None:
    """Whatever may be left out has a default value, or may have no value."""
    missing = {formal.name for formals in OPTIONAL.values() for formal in formals if not formal.omissible}
    assert missing == set(DEFAULTS)


def test_the_shortest_forms_are_of_all_operations_but_one() -> None:
    """LSTM, whose 23 arguments are in the specs, is left to them."""
    assert {name for name, _ in OPTIONAL} - {name.partition("/")[0] for name in SHORTEST} == {"LSTM"}


@pytest.mark.parametrize("name", SHORTEST)
def test_forms_are_valid(name: str) -> None:
    """The shortest form and all longer ones are valid models, one for each further length."""
    forms = [form for _, form in longer_forms(SHORTEST[name], 8)]
    for form in (SHORTEST[name], *forms):
        validate_model(build_model(form))
    (operation,) = SHORTEST[name].main.operations
    lengths = {length for s in declarations()[operation.type].signatures for length in s.lengths}
    added = [len(form.main.operations[0].inputs) for form in forms]
    assert added == sorted(set(added))
    assert set(added) <= {length for length in lengths if length > len(operation.inputs)}
    assert added


def softmax() -> GraphBuilder:
    """A SOFTMAX with two inputs."""
    graph, kind = GraphBuilder(), OperandType.TENSOR_FLOAT32
    inputs = (graph.input(kind, (1, 2), [1, 2]), graph.scalar(OperandType.FLOAT32, 1.0))
    graph.operation(OperationType.SOFTMAX, inputs, graph.output(kind, (1, 2), [0, 0]))
    return graph


def test_what_is_added() -> None:
    """A SOFTMAX gets axis -1 as a constant INT32, which nothing else reads; the original stays as it is."""
    test = softmax().finish("softmax")
    ((what, form),) = longer_forms(test, 8)
    assert what == "SOFTMAX with 3 inputs, not 2: axis"
    assert form.main.operations[0].inputs == (0, 1, 3)
    added = form.main.operands[3]
    assert (added.type, added.dimensions) == (OperandType.INT32, ())
    np.testing.assert_array_equal(added.data, [-1])
    assert len(test.main.operands) == 3
    assert test.main.operations[0].inputs == (0, 1)


def test_levels() -> None:
    """Below the level of an argument there is no longer form with it; flags of resizing come one level later."""
    assert not list(longer_forms(softmax().finish("softmax"), 2))
    assert len(list(longer_forms(SHORTEST["RESIZE_BILINEAR"], 3))) == 1
    assert len(list(longer_forms(SHORTEST["RESIZE_BILINEAR"], 4))) == 3


def test_other_operations_have_no_longer_forms() -> None:
    """An ADD takes three arguments and no more."""
    assert not list(longer_forms(sum_of_two("sum", [1.0], [2.0], [3.0]), 8))
