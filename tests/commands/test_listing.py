"""What ``nnvet rules`` prints."""

import pytest
from typer.testing import CliRunner

from nnvet.commands.main import app


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
    assert found == [f"stated in {one}" for one in stated]
