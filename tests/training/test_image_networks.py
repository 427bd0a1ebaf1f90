"""Bundled classifiers from training to files: the same in every run, raised layers, zero points that matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import OperandType, OperationType
from nnvet.models.bundled import ZOO
from training.images.networks import NETWORKS, mobilenet_v2

if TYPE_CHECKING:
    from torch import Tensor
torch = pytest.importorskip("torch", reason="training needs the extra 'training'")
SIZE = 32
PICTURES = 480 + 192
"""Held back, and three batches."""
EPOCHS = 2
ROUNDING = 1e-4
"""Of float32, where the least value of a channel comes out as 0."""
LEAST_VALUE = {OperandType.TENSOR_QUANT8_ASYMM: 0, OperandType.TENSOR_QUANT8_ASYMM_SIGNED: -128}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Threads and strictness as they were, after each test."""
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(mode=False)


def _pictures() -> np.ndarray:
    """Smooth random pictures [PICTURES, SIZE, SIZE, 3]: whether there is something to learn in them does not matter."""
    rng = np.random.default_rng(7)
    coarse = rng.integers(0, 256, (PICTURES, SIZE // 8, SIZE // 8, 3), dtype=np.uint8)
    return coarse.repeat(8, axis=1).repeat(8, axis=2)


def _run(folder: Path) -> dict[str, bytes]:
    """The pipeline behind the data set, on a small network for few epochs."""
    from training.images import build, train  # noqa: PLC0415

    folder.mkdir()
    plan = mobilenet_v2(0.1, SIZE, 32, EPOCHS)
    pixels = _pictures()
    np.save(folder / f"train-{SIZE}.npy", pixels)
    train.settle()
    train.store(plan, plan.name, folder)
    return dict(build.files(plan, folder, pixels[:24], np.arange(24) % 12))


@pytest.mark.long
def test_two_runs_give_the_same_files(tmp_path: Path) -> None:
    """Byte for byte, from random weights to the three forms."""
    first = _run(tmp_path / "first")
    assert list(first) == ["", "_int8", "_quant"]
    assert _run(tmp_path / "second") == first


def test_a_raised_network_computes_the_same() -> None:
    """Logits but for one constant; nearly all values of linear layers are positive, which they were not before."""
    from training.images.folded import FoldedNetwork, raised  # noqa: PLC0415
    from training.images.modules import Network  # noqa: PLC0415
    from training.images.train import pixels_to_input  # noqa: PLC0415

    torch.manual_seed(3)
    plan = mobilenet_v2(0.1, SIZE, 32, EPOCHS)
    data = pixels_to_input(_pictures()[:64])
    network = FoldedNetwork(plan, Network(plan).eval().folded())
    other = raised(network, data)
    shares: list[dict[str, float]] = []
    with torch.no_grad():
        for trained in (network, other):
            shares.append({})

            def observe(name: str, value: Tensor) -> Tensor:
                shares[-1][name] = float((value < -ROUNDING).float().mean())
                return value

            trained.run(data, observe, list(trained.weights))
        change = (other(data) - network(data)).numpy()
    assert np.ptp(change) <= ROUNDING
    linear = [f"layer {number}" for number, layer in enumerate(plan.layers[:-1]) if not layer.rectified]
    assert len(linear) == 17
    assert min(shares[0][name] for name in linear) > 0.2
    assert max(shares[1][name] for name in linear) <= 1e-4


@pytest.mark.parametrize("name", [f"{name}{form}" for name in NETWORKS for form in ("_quant", "_int8") if "v2" in name])
def test_residual_connections_have_three_zero_points(name: str) -> None:
    """Both inputs' and the output's differ, so that mixing them up shows; all are in the lowest tenth of the codes."""
    with import_model(ZOO / f"{name}.tflite") as imported:
        main = imported.model.main
        sums = [operation for operation in main.operations if operation.type == OperationType.ADD]
        assert len(sums) == 10
        for operation in sums:
            operands = [main.operands[number] for number in (*operation.inputs[:2], *operation.outputs)]
            steps = [operand.zero_point - LEAST_VALUE[operand.type] for operand in operands]
            assert len(set(steps)) == 3, name
            assert 0 < min(steps) <= max(steps) <= 26
