"""Named graphs over all types: valid at the level that they say, of many types, with dimensions that stay open."""

import pytest

from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import declared, with_open_dimensions
from nnvet.generators.random_graphs.models import random_model
from nnvet.generators.random_graphs.named import GRAPH_TESTS, MIXED_TESTS, MixedTest, SingleTest, single_tests
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.graphs.hal_model import build_model
from nnvet.graphs.model import TestModel
from nnvet.hal.validation import required_level

SEEDS = range(5)


def level_of(test: TestModel) -> int:
    """Level that a model needs, which is valid."""
    return required_level(build_model(test))


@pytest.mark.parametrize("mixed", MIXED_TESTS, ids=lambda graph: graph.name)
def test_mixed_graphs_are_valid(mixed: MixedTest) -> None:
    """As the driver is given them, at their level; a name always gives the same one; a few seeds have many types."""
    kinds = set()
    for seed in SEEDS:
        test = mixed.make(seed)
        assert test.min_supported_version is not None
        assert level_of(mixed.declared(test)) <= test.min_supported_version
        assert test.is_relaxed is mixed.name.startswith("Relaxed")
        assert build_model(mixed.make(seed)) == build_model(test)
        kinds |= {operand.type for operand in test.main.operands}
    assert len(kinds) > 6


def test_levels_of_mixed_graphs() -> None:
    """Drivers of HAL 1.2 get some, and those of the newest level all."""
    found = {mixed.make(seed).min_supported_version for mixed in MIXED_TESTS[:2] for seed in range(10)}
    assert min(found) == MIXED_TESTS[0].level == 3
    assert max(found) > 4


@pytest.mark.parametrize("test", single_tests()[::4] + single_tests(in_cts=False)[::2], ids=lambda test: test.id)
def test_open_dimensions_are_valid(test: SingleTest) -> None:
    """Of every operation, whatever dimensions are open; constants keep theirs, and ranks stay known."""
    for seed in range(3):
        model = test.make(seed, SizeLimits(8, 300))
        opened = with_open_dimensions(SeededChooser(f"open/{seed}"), model)
        level_of(opened)
        for before, after in zip(model.main.operands, opened.main.operands, strict=True):
            assert len(before.dimensions) == len(after.dimensions)
            assert after.data is before.data
            assert all(new in (0, old) for new, old in zip(after.dimensions, before.dimensions, strict=True))


@pytest.mark.parametrize("level", [3, 4, 8])
def test_models_of_unknown_dimensions(level: int) -> None:
    """Those that options want are valid at the level of the model; of some operands not even the rank is known."""
    options = GraphOptions(unknown=0.5, level=level)
    ranks = sizes = 0
    for seed in range(25):
        model = random_model(SeededChooser(f"unknown/{seed}"), options)
        opened = declared(model, options)
        assert opened is not None
        assert model.min_supported_version is not None
        assert level_of(opened) <= max(3, model.min_supported_version)
        for before, after in zip(model.main.operands, opened.main.operands, strict=True):
            ranks += len(after.dimensions) < len(before.dimensions)
            sizes += 0 in after.dimensions
            assert after.data is before.data
    assert ranks > 10
    assert sizes > 100


def test_models_of_known_dimensions() -> None:
    """Are given to the driver as they are: at levels that know no others, and unless others are wanted."""
    model = random_model(SeededChooser("known"), GraphOptions(level=2))
    assert declared(model, GraphOptions()) is None
    assert declared(model, GraphOptions(unknown=1.0, level=2)) is None


def test_dimensions_are_open() -> None:
    """About every second one of a graph's inputs, temporaries and outputs."""
    graph = GRAPH_TESTS[20].make(3)
    opened = with_open_dimensions(SeededChooser("open"), graph)
    pairs = [
        (old, new)
        for before, after in zip(graph.main.operands, opened.main.operands, strict=True)
        if before.data is None
        for old, new in zip(before.dimensions, after.dimensions, strict=True)
    ]
    assert 0.3 < sum(new == 0 for _, new in pairs) / len(pairs) < 0.7
