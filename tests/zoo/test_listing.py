"""The command that lists the zoo, and the selector that opens it."""

import pytest
from typer.testing import CliRunner

from nnvet.adapters import SelectorError, create_device
from nnvet.commands.main import app
from nnvet.reference_driver.zoo.registry import bugs


def test_the_command_lists_every_bug() -> None:
    """Each with its selector and its summary; at least forty of them."""
    result = CliRunner().invoke(app, ["zoo"], env={"COLUMNS": "400"})
    assert result.exit_code == 0
    assert len(bugs()) >= 40
    for bug in bugs().values():
        assert f"zoo:{bug.name}" in result.output
        assert bug.summary in result.output


def test_the_command_takes_a_glob() -> None:
    """Only bugs whose name matches are listed."""
    output = CliRunner().invoke(app, ["zoo", "answers-*"]).output
    assert "zoo:answers-late" in output
    assert "zoo:version-empty" not in output


def test_every_bug_makes_a_device() -> None:
    """Each can be selected, and says that it is a driver."""
    for name in bugs():
        assert create_device(f"zoo:{name}").name


def test_an_unknown_bug_is_an_error_of_the_user() -> None:
    """The message names what was asked for and where to look."""
    with pytest.raises(SelectorError, match=r"no bug 'nothing'.*nnvet zoo"):
        create_device("zoo:nothing")
