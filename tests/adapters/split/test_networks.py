"""MobileNets over two devices: labels are those of one device, wherever the network is cut."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from nnvet.adapters.selector import create_device
from nnvet.adapters.split.device import SplitDevice
from nnvet.driver_kit.arrays import Array
from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import ExecutionPreference
from nnvet.hal.interfaces import Device
from nnvet.models.bundled import ZOO
from nnvet.models.contenders import BenchModel
from nnvet.models.datasets import load_sequences
from nnvet.models.driver import DriverContender
from nnvet.reference_driver import create
from tests.models.zoo_accuracy import classifiers

ENTRIES = {entry.name: entry for entry in classifiers()}
FEW = 12
MANY = 120
FLOAT_BYTES = 4
ROUNDING = 16 * 2.0**-23
"""Of probabilities: some units in the last place of one."""


def outputs_of(name: str, device: Device, pictures: int) -> Array:
    """The outputs of a bundled classifier for the first pictures, one row each."""
    entry = ENTRIES[name]
    path = ZOO / entry.model_path
    data = path.read_bytes()
    with import_model(data, input_shape=entry.input_size, name=name) as imported:
        contender = DriverContender("tested", device)
        with closing(contender.open(BenchModel(entry, path, data, imported))) as loaded:
            rows = []
            for sequence in load_sequences(ZOO, entry)[:pictures]:
                loaded.put(sequence.steps[0].load())
                loaded.invoke()
                rows.append(loaded.take()[0])
    return np.array(rows)


def steps_of(name: str, device: SplitDevice) -> list[int]:
    """The devices of the steps of a bundled classifier, in order."""
    with import_model(ZOO / ENTRIES[name].model_path) as imported:
        return [step.device for step in device.plan(imported.model).steps(ExecutionPreference.SUSTAINED_SPEED)]


def assert_labels_of_one(name: str, selector: str, pictures: int) -> tuple[Array, Array]:
    """Every picture gets the label that the bundled driver alone gives it; both outputs are returned."""
    device = create_device(selector)
    assert isinstance(device, SplitDevice)
    steps = steps_of(name, device)
    assert set(steps) == {0, 1}, f"{name} is not divided"
    alone, divided = outputs_of(name, create(""), pictures), outputs_of(name, device, pictures)
    assert len(alone) == pictures
    assert len(set(alone.argmax(1))) > 1, "pictures of one label show nothing"
    assert divided.argmax(1).tolist() == alone.argmax(1).tolist()
    return alone, divided


@pytest.mark.parametrize("assign", ["0.0.0.1", "random-1"])
def test_a_mobilenet_over_two_devices_gives_the_labels_of_one(assign: str) -> None:
    """On two copies of the bundled driver, outputs are the same to the bit."""
    alone, divided = assert_labels_of_one(
        "mobilenet_v1_0.2_64_quant", f"split:assign={assign};reference+reference", FEW
    )
    assert np.array_equal(alone, divided)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in ENTRIES if "_96" not in name])
def test_mobilenets_over_two_copies_give_the_outputs_of_one(name: str) -> None:
    """All families as float, uint8 and int8, with a border behind most operations; codes to the bit."""
    alone, divided = assert_labels_of_one(name, "split:assign=random-3;reference+reference", MANY)
    # The driver compiles whole runs of operations, which add floats in another order than the pieces between borders.
    error = ROUNDING if ENTRIES[name].data_size == FLOAT_BYTES else 0
    assert np.abs(alone.astype(float) - divided).max() <= error


@pytest.mark.long
@pytest.mark.parametrize("runtime", ["litert", "onnxruntime", "torch"])
@pytest.mark.parametrize("name", ["mobilenet_v1_0.2_64", "mobilenet_v2_0.3_64", "mobilenet_v3_0.3_64"])
def test_mobilenets_over_a_runtime_and_the_bundled_driver(name: str, runtime: str) -> None:
    """In float, where no picture's label hangs on the rounding of the runtimes."""
    pytest.importorskip({"litert": "ai_edge_litert"}.get(runtime, runtime), reason=f"needs the extra '{runtime}'")
    assert_labels_of_one(name, f"split:assign=0.0.1.1;{runtime}+reference", MANY)
