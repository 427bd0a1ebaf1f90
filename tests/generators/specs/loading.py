"""Common parts of the tests of the specification language."""

from collections.abc import Callable

from nnvet.generators.specs import SpecCase

LoadCases = Callable[..., dict[str, SpecCase]]
"""The fixture ``load``: text of a spec file (and folder, file name) to its cases by name."""
