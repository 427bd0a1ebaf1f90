"""Places in the published specification, ``docs/contract/`` in the repository, that state the rules.

The place follows from the rule's id: rules of an operation are on the page of the operation, rules of extensions'
operations on one page for all, general rules on the page of the HAL. On its page a rule has an anchor that is its id.
"""

from __future__ import annotations

from typing import Final

from nnvet.hal.enums import OperationType

SPECIFICATION: Final = "docs/contract"
"""Folder of the specification, from the top of the repository. It is no part of the installed package."""


def page_of(subject: str) -> str:
    """The page on a rule or an operation, from the top of the repository: ``docs/contract/operations/CONV_2D.md``."""
    name = subject.partition("/")[0]
    if name in OperationType.__members__:
        return f"{SPECIFICATION}/operations/{name}.md"
    return f"{SPECIFICATION}/{'operations/extensions.md' if '::' in name else 'hal.md'}"


def section_of(rule_id: str) -> str:
    """Page and anchor of a rule: ``docs/contract/operations/CONV_2D.md#CONV_2D/bias.scale``."""
    return f"{page_of(rule_id)}#{rule_id}"
