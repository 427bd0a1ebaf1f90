"""Pages and anchors of the published specification, ``docs/contract/`` in the repository, that state the rules.

The page follows from the rule's id: rules of an operation are on the operation's page, rules of extensions' operations
on one common page, and general rules on the page of the HAL. The anchor is the rule's id.
"""

from __future__ import annotations

from typing import Final

from nnvet.hal.enums import OperationType

SPECIFICATION: Final = "docs/contract"
"""Folder of the specification, relative to the repository. It is not part of the installed package."""


def page_of(subject: str) -> str:
    """Return the page about a rule or operation, such as ``docs/contract/operations/CONV_2D.md``."""
    name = subject.partition("/")[0]
    if name in OperationType.__members__:
        return f"{SPECIFICATION}/operations/{name}.md"
    return f"{SPECIFICATION}/{'operations/extensions.md' if '::' in name else 'hal.md'}"


def section_of(rule_id: str) -> str:
    """Return page and anchor of a rule, such as ``docs/contract/operations/CONV_2D.md#CONV_2D/bias.scale``."""
    return f"{page_of(rule_id)}#{rule_id}"
