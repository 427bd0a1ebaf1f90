"""Texts of drivers, made fit for logs and terminals: the one place where they are cut and filtered.

Every text of a service goes through here as it leaves the wire or the pipe with its output: names, versions, messages,
rules, names of extensions, and the output of the process. So code that shows a text need not filter it again.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

MAX_TEXT: Final = 4096
"""Characters of the longest text; of a longer one the end is missing, and it says so."""

_KEPT: Final = MAX_TEXT - 32


def one_line(text: str) -> str:
    """Return the text on one line, with unprintable characters (ESC, NUL, newlines, lone surrogates) escaped."""
    if len(text) <= MAX_TEXT and text.isprintable():
        return text
    shown = _printable(text[:MAX_TEXT])
    return shown if max(len(text), len(shown)) <= MAX_TEXT else f"{shown[:_KEPT]}… (of {len(text)} characters)"


def several_lines(text: str) -> str:
    """The text with its lines and tabs, otherwise as :func:`one_line`, and uncut: the reader of a pipe has cut it."""
    return "\n".join("\t".join(map(_printable, line.split("\t"))) for line in text.split("\n"))


def clean_text(value: Any) -> Any:
    """Return a result with :func:`one_line` of each text in it."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, tuple):
        return tuple(map(clean_text, value))
    if isinstance(value, msgspec.Struct):
        fields = {name: clean_text(getattr(value, name)) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    return value


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
