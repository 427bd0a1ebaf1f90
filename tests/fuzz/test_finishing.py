"""Findings are made small: fewer bytes of inputs, fewer operations of models, and a spec of what the reducer leaves."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.fuzz.findings import INPUT, ChildConfig, FindingKind, FuzzFinding, read_saved, save
from nnvet.fuzz.finishing import finish, keep, shorten
from nnvet.fuzz.model.form import decode_model, encode_model, model_of_test
from nnvet.fuzz.model.growing import lengthen
from nnvet.fuzz.model.harness import MODEL
from nnvet.generators.specs import load_spec
from nnvet.graphs.builder import sum_of_two
from nnvet.hal.types import OperationType
from tests.fuzz.test_mutating import SOURCE

SUM = model_of_test(sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]]))
FAULTY = """
from nnvet.hal.enums import OperationType
from nnvet.reference_driver import create

def make():
    device = create()
    plain = device.prepare_model
    def faulty(model, config, callback):
        if model.main.operations[-1].type == OperationType.ADD:
            raise KeyError("x")
        return plain(model, config, callback)
    device.prepare_model = faulty
    return device
"""


def finds(wanted: bytes) -> FuzzFinding:
    """A finding whose place depends on what an input has."""
    return FuzzFinding(FindingKind.WRONG, "rule", "message", place=wanted.decode())


@pytest.mark.parametrize("data", [b"xxabcx", b"abc", b"x" * 50 + b"abc" + b"y" * 50])
def test_bytes_that_find_nothing_are_left_out(data: bytes) -> None:
    """The rest finds the same, and nothing of it can go."""

    def one_input(data: bytes) -> None:
        if b"abc" in data:
            raise finds(b"abc")

    assert shorten(one_input, data, finds(b"abc").key, lambda _: iter(()), 60) == b"abc"


def test_another_finding_does_not_replace_one() -> None:
    """A shorter input that finds something else is no shorter form."""

    def one_input(data: bytes) -> None:
        raise finds(b"long" if len(data) > 3 else b"short")

    assert len(shorten(one_input, b"123456", finds(b"long").key, lambda _: iter(()), 60)) == 4


def test_operations_of_a_model_are_left_out() -> None:
    """Of a long chain the operation is left that finds something, in a model that is still one."""
    seeds = (seed for seed in range(50) if len(lengthen(SOURCE(seed), SUM).main.operations) == 17)
    chain = lengthen(SOURCE(next(seeds)), SUM)
    last = replace(chain.main.operations[-1], type=int(OperationType.MUL))
    chain = replace(chain, main=replace(chain.main, operations=(*chain.main.operations[:-1], last)))

    def one_input(data: bytes) -> None:
        model = decode_model(data)
        if model is not None and any(operation.type == OperationType.MUL for operation in model.main.operations):
            raise finds(b"MUL")

    left = decode_model(shorten(one_input, encode_model(chain), finds(b"MUL").key, MODEL.smaller, 60))
    assert left is not None
    assert [operation.type for operation in left.main.operations] == [OperationType.MUL]
    assert len(left.main.operands) <= 4


def test_a_finding_of_a_model_becomes_a_spec_and_a_regression(tmp_path: Path) -> None:
    """The least model that fails on the driver is saved as a spec; the input goes where regressions are kept."""
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    selector, findings = f"python:{file}:make", tmp_path / "findings"
    finding = FuzzFinding(FindingKind.HANG, "driver/hang", "slow")
    save(findings, "model", selector, finding, encode_model(SUM))
    config = ChildConfig("", selector, True, 10.0, 3072, str(findings))
    specs = finish(config, {"model": MODEL}, tmp_path)
    assert list(specs) == [finding.key]
    (case, *_) = load_spec(specs[finding.key])
    assert [operation.type for operation in case.build().main.operations] == [OperationType.ADD]
    assert keep(findings, tmp_path / "kept") == 1
    ((_, folder),) = read_saved(findings)
    assert (tmp_path / "kept" / "model" / finding.key).read_bytes() == (folder / INPUT).read_bytes()
