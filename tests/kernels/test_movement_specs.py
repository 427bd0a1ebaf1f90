"""The spec files of the operations that move data: current, of the level they claim, and right."""

from __future__ import annotations

import importlib

import pytest

from nnvet.conformance.engine.judging import precision_rules
from nnvet.generators.graphs.hal_model import build_model
from nnvet.generators.graphs.hal_request import pack_request
from nnvet.generators.graphs.model import TestModel, operation_name
from nnvet.generators.specs import load_spec
from nnvet.hal.errors import HalError
from nnvet.hal.types import ExecutionConfig, PrepareModelConfig
from nnvet.hal.validation import required_level
from nnvet.reference_driver.device import create
from tests.golden.spec_writer import SPECS, SpecFile

FAMILIES = ("reshaping", "assembly", "padding", "slicing", "blocks", "lookup", "resize")
WRITTEN: dict[str, list[SpecFile]] = {
    family: importlib.import_module(f"tests.golden.write_{family}_specs").files() for family in FAMILIES
}


@pytest.mark.parametrize("family", FAMILIES)
def test_files_are_current(family: str) -> None:
    """Every file has the text that its script writes, and no other file claims to come from that script."""
    written = {file.path: file.text for file in WRITTEN[family]}
    assert len(written) == len(WRITTEN[family])
    mark = f"# Written by tests/golden/write_{family}_specs.py."
    texts = {path: path.read_text(encoding="utf-8") for path in SPECS.rglob("*.mod.py")}
    assert {path: text for path, text in texts.items() if text.partition("\n")[0] == mark} == written


@pytest.mark.parametrize(
    "file", [file for files in WRITTEN.values() for file in files], ids=lambda file: f"{file.folder}/{file.name}"
)
def test_cases_hold(file: SpecFile) -> None:
    """Every case needs the level it claims, and the driver gives what the second implementation gives."""
    for case in load_spec(file.path):
        test = case.build()
        if case.expect_failure:
            with pytest.raises(HalError) as caught:
                _run(test)
            assert caught.value.rule.startswith(operation_name(test.main.operations[0].type)), case.name
        else:
            assert case.min_supported_version in (None, required_level(build_model(test))), case.name
            _run(test)


def _run(test: TestModel) -> None:
    prepared = create().compile(build_model(test), PrepareModelConfig())
    packed = pack_request(test, short_output=False)
    try:
        prepared.execute_synchronously(packed.request, ExecutionConfig(), -1)
        precision_rules(test, packed.output_arrays(test.main.outputs))
    finally:
        packed.close()
