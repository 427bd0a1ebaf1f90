"""The status with which a driver answers a model or request that breaks a rule of an operation."""

from __future__ import annotations

from nnvet.hal.enums import ErrorStatus
from nnvet.hal.extensions import known_extensions
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import OperationDeclaration, Phase, ZeroSized
from nnvet.hal.rules import ContractRule


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
