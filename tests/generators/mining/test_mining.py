"""Fragments of models: how often each occurs, what its values are, and that LiteRT computes what its spec expects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nnvet.adapters.litert.writing import InexpressibleError, tflite_file
from nnvet.formats.tflite.importer import import_model
from nnvet.formats.tflite.writer import ModelWriter
from nnvet.generators.mining.collection import MOST_KEPT, Collection, Fragment, combined, drawn, spread_of
from nnvet.generators.mining.manifest import Manifest, Spread, read_manifest
from nnvet.generators.mining.spec_folder import write_fragments
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, close_pools, operand_data, read_model
from nnvet.graphs.model import TestModel
from tests.formats.runtimes import run_on_litert
from tests.models.toys.networks import mobilenet_v1, mobilenet_v2

VALID, RELU6 = 1, 3
BUNDLED = [
    pytest.param(network, quantized, id=f"{network.__name__}-{'uint8' if quantized else 'float'}")
    for network in (mobilenet_v1, mobilenet_v2)
    for quantized in (False, True)
]


def pointwise(*layers: tuple[float, int]) -> bytes:
    """A chain of 1 by 1 convolutions of ten channels with weights of a size each and an activation each."""
    writer, rng = ModelWriter(), np.random.default_rng(5)
    data = first = writer.tensor("image", (1, 4, 4, 10))
    for number, (size, activation) in enumerate(layers):
        weights = writer.constant(f"w{number}", rng.normal(0, size, (10, 1, 1, 10)))
        bias = writer.constant(f"b{number}", rng.normal(0, size, 10))
        data, source = writer.tensor(f"t{number}", (1, 4, 4, 10)), data
        options = {"padding": VALID, "stride_w": 1, "stride_h": 1, "activation": activation}
        writer.operator("CONV_2D", [source, weights, bias], [data], **options)
    return writer.finish([first], [data])


def model_of(data: bytes, name: str) -> TestModel:
    """A file's model."""
    with import_model(data) as imported:
        return read_model(imported.model, name)


def mined(*models: tuple[str, bytes], least: int = 2) -> list[Fragment]:
    """The fragments of some models."""
    collection = Collection()
    for name, data in models:
        collection.add(name, model_of(data, name))
    return collection.fragments(least)


def occurrences(fragments: list[Fragment]) -> list[tuple[int, dict[str, int]]]:
    """Numbers of operations and occurrences."""
    return [(len(fragment.test.main.operations), dict(fragment.occurrences)) for fragment in fragments]


def test_equal_parts_are_one_fragment() -> None:
    """Three layers that differ in their weights alone are one operation, one pair and one group of three."""
    found = mined(("net", pointwise((0.1, 0), (0.5, 0), (2.0, 0))), least=1)
    assert occurrences(found) == [(1, {"net": 3}), (2, {"net": 2}), (3, {"net": 1})]


def test_attributes_and_models_tell_occurrences_apart() -> None:
    """Another activation makes another operation; occurrences are counted by model; rare groups are left out."""
    found = mined(("a", pointwise((0.1, 0), (0.5, RELU6))), ("b", pointwise((0.1, RELU6), (1.0, RELU6))))
    assert occurrences(found) == [(1, {"a": 1, "b": 2}), (1, {"a": 1})]


def test_values_are_distributed_as_in_the_models() -> None:
    """Weights of two places have a mixed distribution; the bias is short and so the first place's own."""
    (fragment, *_) = mined(("net", pointwise((0.1, 0), (2.0, 0))))
    data, weights, bias = fragment.test.main.operations[0].inputs[:3]
    assert set(fragment.spreads) == {data, weights}
    rng = np.random.default_rng(5)
    values = [rng.normal(0, size, shape).astype(np.float32) for size in (0.1, 2.0) for shape in ((100,), (10,))]
    both = np.concatenate([values[0], values[2]]).astype(np.float64)
    spread = combined(fragment.spreads[weights])
    assert (spread.low, spread.high) == (both.min(), both.max())
    assert spread.mean == pytest.approx(both.mean())
    assert spread.deviation == pytest.approx(both.std())
    np.testing.assert_array_equal(operand_data(fragment.test.main.operands[bias]), values[1])


def test_drawn_values_keep_range_and_distribution() -> None:
    """Whole numbers for codes; equal seeds give equal values."""
    values = np.array(drawn(3, 20_000, -100, 127, 10, 30, whole=True))
    assert (values == np.rint(values)).all()
    assert (values.min(), values.max()) == (-100, 127)
    assert abs(values.mean() - 10) < 1
    assert abs(values.std() - 30) < 1
    assert drawn(3, 5, 0, 1, 0, 1, whole=False) == drawn(3, 5, 0, 1, 0, 1, whole=False)
    assert spread_of(np.array([np.nan, np.inf])) is None


def written(folder: Path, *models: tuple[str, bytes]) -> Manifest:
    """The manifest of a folder of specs mined from models."""
    return write_fragments(folder, mined(*models), {name: 0 for name, _ in models}, [])


@pytest.mark.parametrize(("network", "quantized"), BUNDLED)
def test_specs_of_a_network_expect_what_litert_computes(network: Any, quantized: bool, tmp_path: Path) -> None:
    """Every operation of a real network is there, in small files, whose expected values another runtime confirms."""
    data = network(quantized=quantized)
    manifest = written(tmp_path, ("net", data))
    single = [fragment for fragment in manifest.fragments if len(fragment.operations) == 1]
    assert sum(fragment.count for fragment in single) == len(model_of(data, "net").main.operations)
    assert not manifest.left_out
    for fragment in manifest.fragments:
        file = tmp_path / f"{fragment.name}.mod.py"
        assert file.stat().st_size < 20_000
        (case,) = load_spec(file)
        check_by_litert(case.build(), codes=len(fragment.operations))


def check_by_litert(test: TestModel, codes: int) -> None:
    """Outputs are LiteRT's: floats within rounding, and a code for each operation."""
    model = build_model(test)
    try:
        data = tflite_file(model)
    except InexpressibleError:
        return
    finally:
        close_pools(model)
    inputs = [operand_data(operand).reshape(operand.dimensions) for operand in test.main.inputs]
    (results,) = run_on_litert(data, [inputs])
    for operand, result in zip(test.main.outputs, results, strict=True):
        expected = operand_data(operand).astype(np.float64)
        limit = codes if result.dtype.itemsize == 1 else 1e-5 * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(result.reshape(-1).astype(np.float64), expected, rtol=0, atol=limit)


def test_states_are_those_of_later_steps() -> None:
    """A recurrent layer that adds 1 to its state of 80 zeros in each of four steps has a state of 3 in the last."""
    writer = ModelWriter()
    data, out = writer.tensor("x", (1, 2)), writer.tensor("y", (1, 80))
    weights, recurrent = writer.constant("w", np.zeros((80, 2))), writer.constant("r", np.eye(80))
    bias, state = writer.constant("b", np.ones(80)), writer.tensor("h", (1, 80), is_variable=True)
    writer.operator("RNN", [data, weights, recurrent, bias, state], [out], activation=0)
    collection = Collection()
    with import_model(writer.finish([data], [out])) as imported:
        model = read_model(imported.model, "net")
    collection.add("net", model, [(state.input_index, state.output_index) for state in imported.states])
    (fragment,) = collection.fragments(1)
    (spread,) = fragment.spreads[fragment.test.main.operations[0].inputs[4]]
    assert spread == Spread(3, 3, 3, 0)


def test_another_mining_replaces_the_folder(tmp_path: Path) -> None:
    """Specs of before go, files of others stay, and the manifest is the new one."""
    written(tmp_path, ("net", pointwise((0.1, 0))))
    before = {path.name for path in tmp_path.glob("*.mod.py")}
    (tmp_path / "own.mod.py").write_text("")
    manifest = written(tmp_path, ("net", pointwise((0.1, RELU6))))
    after = {path.name for path in tmp_path.glob("*.mod.py")}
    assert before.isdisjoint(after)
    assert after == {f"{fragment.name}.mod.py" for fragment in manifest.fragments} | {"own.mod.py"}
    assert read_manifest(tmp_path) == manifest


def test_only_large_tensors_are_drawn(tmp_path: Path) -> None:
    """The manifest lists each with shape and range; all of it is in the spec's own words, too."""
    (fragment,) = written(tmp_path, ("net", pointwise((0.1, 0)))).fragments
    assert [(tensor.constant, tensor.shape) for tensor in fragment.drawn] == [
        (False, (1, 4, 4, 10)),
        (True, (10, 1, 1, 10)),
    ]
    assert all(np.prod(tensor.shape) > MOST_KEPT for tensor in fragment.drawn)
    (case,) = load_spec(tmp_path / f"{fragment.name}.mod.py")
    for tensor in fragment.drawn:
        values = operand_data(case.build().main.operands[tensor.operand])
        assert tensor.spread.low <= values.min() <= values.max() <= tensor.spread.high
