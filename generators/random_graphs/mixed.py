"""Named graphs over all types and ranks: plain, relaxed, or with dimensions that the request decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.unspecified import with_open_dimensions
from nnvet.hal.enums import FeatureLevel

_LEVELS: Final = (FeatureLevel.FL8, FeatureLevel.FL4, FeatureLevel.FL3, FeatureLevel.FL8, FeatureLevel.FL3)
"""Highest level of the operations, seed by seed, so that older drivers get some; none has fewer types than these."""


@dataclass(frozen=True)
class MixedTest:
    """Graphs over all types and ranks. ``is_open``: the model leaves dimensions to the request."""

    name: str
    options: GraphOptions
    is_open: bool = False

    @property
    def level(self) -> int:
        """Lowest feature level that some of its models need at most."""
        return min(_LEVELS)

    def make(self, seed: int) -> TestModel:
        """The model of a seed, all dimensions known, without expected outputs."""
        # Few graphs are made of each, which had better have nothing in common.
        options = replace(self.options, level=_LEVELS[seed % len(_LEVELS)], remembered=0)
        name = f"{self.name}/{seed}"
        return random_model(SeededChooser(name), options, name)

    def declared(self, model: TestModel) -> TestModel:
        """Return the model as the driver gets it."""
        return with_open_dimensions(SeededChooser(f"{model.name}/open"), model) if self.is_open else model


MIXED_TESTS: Final = (
    MixedTest("MixedGraph_5", GraphOptions(operations=(5, 5), dimensions=(1, 50), elements=5000)),
    MixedTest("MixedGraph_10", GraphOptions(operations=(10, 10))),
    MixedTest("MixedGraph_40", GraphOptions(operations=(40, 40))),
    MixedTest("RelaxedGraph_10", GraphOptions(operations=(10, 10), relaxed=1.0)),
    MixedTest("UnspecifiedGraph_10", GraphOptions(operations=(10, 10)), is_open=True),
)
