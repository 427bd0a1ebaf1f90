"""The spec files of the operations that move data: of the level they claim, and refused by their own rules."""

from __future__ import annotations

import pytest

from nnvet.generators.corpus.emitter import EmittedFile
from nnvet.generators.corpus.writing import CORPUS, family_files
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, pack_request
from nnvet.graphs.model import TestModel, operation_name
from nnvet.hal.errors import HalError
from nnvet.hal.types import ExecutionConfig, PrepareModelConfig
from nnvet.hal.validation import required_level
from nnvet.reference_driver.device import create

FAMILIES = ("reshaping", "assembly", "slicing", "lookup", "resize")
FILES = [file for family in FAMILIES for file in family_files(family)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_cases_hold(file: EmittedFile) -> None:
    """Every case needs the level it claims; one that must fail breaks a rule of its operation."""
    for case in load_spec(CORPUS / file.path):
        test = case.build()
        if case.expect_failure:
            with pytest.raises(HalError) as caught:
                _run(test)
            assert caught.value.rule.startswith(operation_name(test.main.operations[0].type)), case.name
        else:
            assert case.min_supported_version in (None, required_level(build_model(test))), case.name


def _run(test: TestModel) -> None:
    prepared = create().compile(build_model(test), PrepareModelConfig())
    packed = pack_request(test, short_output=False)
    try:
        prepared.execute_synchronously(packed.request, ExecutionConfig(), -1)
    finally:
        packed.close()
