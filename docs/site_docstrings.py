"""Docstrings for the site: roles of Sphinx, which editors know and Markdown does not, become code."""

from __future__ import annotations

import re
from typing import Any, Final

from griffe import Extension, Object

_ROLE: Final = re.compile(r":(?:class|meth|func|data|mod|attr|exc|obj):`~?(?:nnvet\.[\w.]*\.)?([^`]+)`")


def without_roles(text: str) -> str:
    """The text with names in code instead of roles: the last part of ours."""
    return _ROLE.sub(r"`\1`", text.replace("``", "`"))


class Roles(Extension):
    """Changes every docstring that is read."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = without_roles(obj.docstring.value)
