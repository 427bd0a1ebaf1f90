"""The published specification's answers about one rule: the page and anchor that state it, and the status.

Reports and ``nnvet rules`` link to these places. The pages are in ``docs/contract/`` of the repository. The page
follows from the rule's id: rules of an operation are on the operation's page, rules of extensions' operations on one
common page, and general rules on the page of the HAL. The anchor is the rule's id. The rules themselves are in
:mod:`nnvet.hal.rules` and :mod:`nnvet.hal.operations`.
"""

from __future__ import annotations

from typing import Final

from nnvet.hal.enums import ErrorStatus, OperationType
from nnvet.hal.extensions import known_extensions
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import OperationDeclaration, Phase, ZeroSized
from nnvet.hal.rules import ContractRule

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


def declaration_of(rule_id: str) -> OperationDeclaration | None:
    """Return the operation, also of a known extension, whose rule has this id; None for a general rule."""
    name = rule_id.partition("/")[0]
    of_extensions = (operation for known in known_extensions().values() for operation in known.operations)
    return next(
        (declaration for declaration in (*declarations().values(), *of_extensions) if declaration.name == name), None
    )


def status_of(declaration: OperationDeclaration, rule: ContractRule) -> str:
    """Return the name of the status that answers a broken rule of an operation."""
    if rule.phase == Phase.MODEL.value:
        return ErrorStatus.INVALID_ARGUMENT.name
    if rule.id.endswith(".omitted"):
        return declaration.omission_status.name
    if rule.id == f"{declaration.name}/zero_sized" and declaration.zero_sized is not ZeroSized.ACCEPTED:
        return str(declaration.zero_sized.value)
    own = declaration.rule_index.get(rule.id)
    return (own.status if own else ErrorStatus.GENERAL_FAILURE).name
