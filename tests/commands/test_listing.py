"""Output of ``nnvet rules``."""

import fnmatch
import re
import shlex

import pytest
from typer.testing import CliRunner

from nnvet.adapters.selector import KINDS
from nnvet.commands.main import app
from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.conformance.rule_counts import explanation
from nnvet.hal.rules import all_rules


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        ("CONV_2D/bias.scale", ["docs/contract/operations/CONV_2D.md#CONV_2D/bias.scale"]),
        ("model/operand.scale", ["docs/contract/hal.md#model/operand.scale"]),
        ("CONV_2D/bias.*", []),
    ],
)
def test_a_single_rule_leads_to_its_place(asked: str, stated: list[str]) -> None:
    """Of one rule the place of the specification is named, of several none."""
    printed = CliRunner().invoke(app, ["rules", asked])
    assert printed.exit_code == 0
    found = [line for line in printed.stdout.splitlines() if line.startswith("stated in ")]
    assert found == [f"stated in {place}" for place in stated]


@pytest.fixture(scope="module")
def commands() -> set[str]:
    """All that explanations say to type, of every rule; one of each command."""
    lines = {line.strip() for rule in all_rules().values() for line in explanation(rule)}
    return {line for line in lines if line.startswith("nnvet ")}


@pytest.mark.long
def test_what_an_explanation_says_to_run_exists(commands: set[str]) -> None:
    """Cases that are named are cases, and globs select some: of the usual run, or of all where the command says so."""
    cases = list(Catalogue().cases(Selection(full=True)))
    usual, full = [case.id for case in cases if case.usual], [case.id for case in cases]
    replayed = {found[1] for line in commands if (found := re.fullmatch(r"nnvet replay (\S+) -d DRIVER", line))}
    assert len(replayed) > 100
    assert replayed <= set(full)
    chosen = [shlex.split(line) for line in commands if " --only " in line]
    assert len(chosen) > 30
    for words in chosen:
        glob = words[words.index("--only") + 1]
        assert fnmatch.filter(full if "--full" in words else usual, glob), words


def test_a_rule_is_explained() -> None:
    """Sentence, what answers who breaks it, the operation, and a case; of CONV_2D as the contract's page has them."""
    printed = CliRunner().invoke(app, ["rules", "CONV_2D/bias.scale"]).stdout
    assert all_rules()["CONV_2D/bias.scale"].sentence in printed
    assert "looked at: execution; who breaks it gets GENERAL_FAILURE" in printed
    assert "CONV_2D: two-dimensional convolution; since feature level 1" in printed
    assert "types since feature level 1: T TENSOR_FLOAT32, F TENSOR_FLOAT32, B TENSOR_FLOAT32" in printed
    assert "nnvet replay GeneratedValidationTest/sync/conv2d_invalid_bias_scale -d DRIVER" in printed
    assert "nnvet run -d DRIVER --op CONV_2D" in printed


def test_kinds_are_listed_as_they_are_written() -> None:
    """Brackets of a syntax are no markup; in a narrow window, where lines are folded, nothing is cut off."""
    wide, narrow = (CliRunner(env={"COLUMNS": columns}).invoke(app, ["drivers"]).stdout for columns in ("300", "60"))
    for kind in KINDS:
        assert kind.syntax in wide
    assert "ndk:LIBRARY.so[#DEVICE]" in wide
    assert sorted("".join(narrow.split())) == sorted("".join(wide.split()))
