"""Verbose logging by tag.

Source of the tags, their bits and the form of the variable: docs/contract/sample-driver.md 8.
"""

import logging
from collections.abc import Iterator

import pytest

from nnvet.diagnostics import vlog
from nnvet.diagnostics.vlog import Tag

BITS = ["model", "compilation", "execution", "cpuexe", "manager", "driver", "memory"]


@pytest.fixture(autouse=True)
def before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tags, level and handlers are as they were, afterwards."""
    logger = logging.getLogger("nnvet.vlog")
    level, handlers = logger.level, list(logger.handlers)
    monkeypatch.setattr(vlog._Chosen, "tags", vlog.ALL)
    yield
    logger.setLevel(level)
    logger.handlers[:] = handlers


def test_bits_of_tags() -> None:
    """Seven tags, bits 0 to 6."""
    assert {name: vlog.parse(name) for name in BITS} == {name: 1 << bit for bit, name in enumerate(BITS)}


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("", 0),
        (" ,:", 0),
        ("model execution", 0b101),
        ("model,execution", 0b101),
        ("model:execution", 0b101),
        ("model: execution,,memory ", 0b1000101),
        ("model model", 1),
        ("1", 127),
        ("all", 127),
        ("driver 1", 127),
        ("all,driver", 127),
    ],
)
def test_lists_of_tags(text: str, mask: int) -> None:
    """Spaces, commas and colons separate; empty parts mean nothing; 1 and all are everything."""
    assert vlog.parse(text) == mask


@pytest.mark.parametrize("word", ["bogus", "MODEL", "Model", "0", "2", "true"])
def test_unknown_tags_are_logged_and_left_out(word: str, caplog: pytest.LogCaptureFixture) -> None:
    """Tags are written in lower case; of numbers there is only 1."""
    assert vlog.parse(f"model {word} memory") == 0b1000001
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert repr(word) in record.message


def test_everything_is_on_at_first() -> None:
    """Before anybody has looked at the variable, all tags are on."""
    assert all(vlog.is_on(tag) for tag in Tag)


def test_variable_decides(caplog: pytest.LogCaptureFixture) -> None:
    """Messages of the chosen tags arrive at INFO, formatted, under the name of their tag; others do not."""
    assert vlog.init({"NNVET_VLOG": "compilation:driver"}) == 0b100010
    vlog.vlog(Tag.COMPILATION, "took %d ms", 5)
    vlog.vlog(Tag.EXECUTION, "not this")
    vlog.vlog(Tag.DRIVER, "100%")
    assert [(record.name, record.levelno, record.getMessage()) for record in caplog.records] == [
        ("nnvet.vlog.compilation", logging.INFO, "took 5 ms"),
        ("nnvet.vlog.driver", logging.INFO, "100%"),
    ]
    assert [tag for tag in Tag if vlog.is_on(tag)] == [Tag.COMPILATION, Tag.DRIVER]


def test_without_the_variable_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Not set and empty are the same."""
    for environment in ({}, {"NNVET_VLOG": ""}):
        assert vlog.init(environment) == 0
    caplog.set_level(logging.DEBUG, "nnvet.vlog")
    for tag in Tag:
        vlog.vlog(tag, "silence")
    assert not caplog.records


def test_messages_are_seen_without_any_logging_set_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a program that has no handlers, messages go to the standard error, once however often drivers are made."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    for _ in range(2):
        vlog.init({"NNVET_VLOG": "memory"})
    vlog.vlog(Tag.MEMORY, "allocated %s", [2, 3])
    assert capsys.readouterr().err == "allocated [2, 3]\n"
