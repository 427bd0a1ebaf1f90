"""The catalogue of error bounds."""

from nnvet.oracle.bounds.execution import RULES
from nnvet.oracle.operations.catalogue import MEANINGS


def test_every_operation_has_a_bound() -> None:
    """Whatever has a meaning has a rule, and nothing else has."""
    assert RULES.keys() == MEANINGS.keys()
