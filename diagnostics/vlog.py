"""Verbose logging by subject, chosen with the environment variable NNVET_VLOG.

The bundled driver calls :func:`init` at its start and :func:`vlog` for each message. The variable lists tags, separated
by spaces, commas or colons: ``NNVET_VLOG=model,execution``; ``1`` or ``all`` are all of them. Messages go to loggers
``nnvet.vlog.TAG`` at level INFO. Times are recorded by :mod:`nnvet.diagnostics.tracing`. Source:
docs/contract/sample-driver.md 8, where a system property holds the tags.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Final

VARIABLE: Final = "NNVET_VLOG"
"""Name of the environment variable."""


class Tag(IntEnum):
    """Kinds of log messages, one bit each; a sum of tags stands for several."""

    MODEL = 1 << 0
    COMPILATION = 1 << 1
    EXECUTION = 1 << 2
    CPUEXE = 1 << 3
    MANAGER = 1 << 4
    DRIVER = 1 << 5
    MEMORY = 1 << 6


ALL: Final = sum(Tag)
"""All tags."""
_EVERYTHING: Final = ("1", "all")
"""Words that stand for all tags."""
_log: Final = logging.getLogger("nnvet.vlog")
"""Logger of messages about the variable itself, above those of the tags."""
_loggers: Final = {tag: logging.getLogger(f"nnvet.vlog.{tag.name}".lower()) for tag in Tag}
"""Logger of each tag."""


class _Chosen:
    """The tags in force; all of them until :func:`init` has read the environment."""

    tags: int = ALL


def parse(text: str) -> int:
    """Return the tags that ``text`` lists; an unknown one is logged as an error and left out."""
    tags = 0
    for word in filter(None, re.split("[ ,:]", text)):
        if word in _EVERYTHING:
            tags = ALL
        elif word.upper() in Tag.__members__ and word.islower():
            tags |= Tag[word.upper()].value
        else:
            known = " ".join(tag.lower() for tag in Tag.__members__)
            _log.error("%s: there is no tag %r; there are %s, and all", VARIABLE, word, known)
    return tags


def init(environment: Mapping[str, str] = os.environ) -> int:
    """Take the tags from the environment and return them; drivers do this first of all."""
    tags = parse(environment.get(VARIABLE, ""))
    _Chosen.tags = tags
    if tags:
        _log.setLevel(logging.INFO)
        if not _log.hasHandlers():
            # A user who sets the variable wants to see messages, whether or not the program has set up logging.
            _log.addHandler(logging.StreamHandler())
    return tags


def is_on(tag: Tag) -> bool:
    """Return True if messages of a tag are logged; ask before you make a costly message."""
    return bool(_Chosen.tags & tag)


def vlog(tag: Tag, message: str, *arguments: object) -> None:
    """Log a message, formatted like those of :mod:`logging`, if its tag is on."""
    if _Chosen.tags & tag:
        _loggers[tag].info(message, *arguments)
