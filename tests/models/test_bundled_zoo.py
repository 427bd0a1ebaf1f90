"""The bundled zoo: complete, small, as accurate as its page and list say, and the same on the reference driver."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from nnvet.formats.tflite.importer import import_model
from nnvet.hal.enums import OperandType, OperationType
from nnvet.models.bundled import ZOO
from nnvet.models.catalogue import ModelEntry
from nnvet.models.litert import REFERENCE
from tests.models.zoo_accuracy import AGREEMENT, as_listed, classifiers, compare, shows_rounding

litert = pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")
SHORT = 60
"""Five pictures of each class; ``make zoo-accuracy`` runs all."""
IMAGE_BYTES = 8_000_000
QUANTISED = {"": None, "_quant": OperandType.TENSOR_QUANT8_ASYMM, "_int8": OperandType.TENSOR_QUANT8_ASYMM_SIGNED}
"""Input types by the ending of the names, as NNAPI calls them."""
NAMES = [entry.name for entry in classifiers()]
BY_NAME = {entry.name: entry for entry in classifiers()}


def _form(name: str) -> str:
    return next((ending for ending in ("_quant", "_int8") if name.endswith(ending)), "")


def test_families_sizes_and_forms() -> None:
    """MobileNet v1 and v2 at two resolutions, v3 at one, each as float, uint8 and int8, small enough for a package."""
    assert len(NAMES) == 15
    families = {re.match(r"mobilenet_v\d", name)[0] for name in NAMES}  # type: ignore[index]
    resolutions = {"mobilenet_v1": 2, "mobilenet_v2": 2, "mobilenet_v3": 1}
    assert families == set(resolutions)
    for family, count in resolutions.items():
        sizes = {entry.input_size[1] for name, entry in BY_NAME.items() if name.startswith(family)}
        assert len(sizes) == count
        for ending in QUANTISED:
            assert sum(name.startswith(family) and _form(name) == ending for name in NAMES) == count
    files = [*(ZOO / "images").iterdir(), *ZOO.glob("mobilenet*.tflite")]
    assert sum(path.stat().st_size for path in files) <= IMAGE_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_operands_have_the_types_that_the_name_promises(name: str) -> None:
    """Input types; weights of int8 models have one scale per channel, those of uint8 models one scale."""
    entry = BY_NAME[name]
    with import_model(ZOO / entry.model_path) as imported:
        wanted = QUANTISED[_form(name)]
        assert imported.inputs[0].type == (wanted or OperandType.TENSOR_FLOAT32)
        types = {operand.type for operand in imported.model.main.operands}
    assert (OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL in types) == name.endswith("_int8")
    assert entry.signed == name.endswith("_int8")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_the_driver_gives_the_labels_of_litert(name: str) -> None:
    """On the first pictures; in 8 bits also beside the reference kernels, whose outputs are the same to the code."""
    if not shows_rounding(BY_NAME[name]):
        assert not compare(BY_NAME[name], SHORT).differences
    if BY_NAME[name].data_size == 1:
        exact = compare(BY_NAME[name], SHORT, REFERENCE)
        assert exact.largest == 0


@pytest.mark.parametrize(
    "name", [pytest.param("mobilenet_v3_0.3_64_quant", marks=pytest.mark.long), "mobilenet_v3_0.3_64_int8"]
)
def test_the_kernel_sets_of_litert_are_apart_on_mobilenet_v3(name: str) -> None:
    """On all pictures they differ in more labels than the margin of 5 %, and neither is the more accurate one.

    The driver, whose outputs are those of the reference kernels, stands for these: LiteRT's are slow.
    """
    found = compare(BY_NAME[name], 720)
    assert as_listed(BY_NAME[name], found)
    assert 0.05 < 1 - found.agreement < 0.1
    assert abs(found.litert - found.driver) <= 0.015


@pytest.mark.parametrize("name", [name for name in NAMES if "_v3_" in name])
def test_mobilenet_v3_has_the_operations_of_its_kind(name: str) -> None:
    """HARD_SWISH behind most convolutions, nine gates that multiply, kernels of 3 and of 5."""
    with import_model(ZOO / BY_NAME[name].model_path) as imported:
        main = imported.model.main
        found = Counter(operation.type for operation in main.operations)
        depthwise = [operation for operation in main.operations if operation.type == OperationType.DEPTHWISE_CONV_2D]
        kernels = {main.operands[operation.inputs[1]].dimensions[1] for operation in depthwise}
    assert found[OperationType.HARD_SWISH] == 18
    assert found[OperationType.MUL] == 9
    assert found[OperationType.AVERAGE_POOL_2D] == 10
    assert kernels == {3, 5}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["mobilenet_v1_0.2_64", "mobilenet_v1_0.2_64_quant"])
def test_litert_is_as_accurate_as_the_list_says(name: str) -> None:
    """On all pictures, and the driver with it; the other models take ``make zoo-accuracy``."""
    found = compare(BY_NAME[name], 720)
    assert found.pictures == 720
    assert as_listed(BY_NAME[name], found)
    assert found.agreement >= AGREEMENT[BY_NAME[name].data_size]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_and_the_list_say_the_same(name: str) -> None:
    """The table of the zoo's page has the accuracy that the list expects, in percent."""
    entry: ModelEntry = BY_NAME[name]
    page = (ZOO / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{re.escape(name)}` \|(.*)\|$", page, re.MULTILINE)
    assert row, f"no row for {name}"
    assert entry.evaluator is not None
    assert f"{100 * entry.evaluator.expected_top1:.1f}" in row[1]
