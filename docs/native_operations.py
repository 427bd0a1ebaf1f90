"""``docs/native/operations.json``: every declared operation as data, for validators in other languages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import OPERAND_TYPES, ExtensionType
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Formal, OperationDeclaration, Signature
from nnvet.hal.rules import ContractRule, operation_rules
from nnvet.hal.specification import status_of

ABOUT: Final = (
    "Every operand type and operation of the contract. An operation takes the inputs of one of its signatures, in "
    "their order; 'lengths' are the lengths of the list that are accepted, from the front (none: the length of "
    "'inputs'; with a variadic input: any). The type of an operand is a name of an operand type, '*' (any type), "
    "or a variable, whose types stand in 'rows': those of one row go together. A model needs the highest level "
    "among those of the operation, its row, the last given input and 'level_rules'. 'rank' are the least and "
    "largest rank, null for none; 'rank_phase' is when a known rank counts. 'values' are the values that a "
    "parameter may have. 'outputs' is a list from the front, too; 'output_counts' are its accepted lengths (none: "
    "all). Rules of phase 'model' are checked before a model is prepared, those of phase 'execution' when it "
    "runs; 'status' is the answer where one is broken. Rules without a sentence follow from the data above."
)


def operations_json() -> str:
    """The file's text."""
    types = (_operand_type(code) for code in sorted(OPERAND_TYPES))
    operations = (_operation(declaration) for declaration in declarations().values())
    parts = (
        f'"about": {json.dumps(ABOUT, ensure_ascii=False)}',
        f'"operand_types": [\n{_lines(types)}\n]',
        f'"operations": [\n{_lines(operations)}\n]',
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(entries: Iterable[dict[str, Any]]) -> str:
    """One line for each, so that a change of one operation is a change of one line."""
    return ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)


def _operand_type(code: OperandType) -> dict[str, Any]:
    info = OPERAND_TYPES[code]
    return {
        "name": info.type.name,
        "code": int(code),
        "level": info.level,
        "is_tensor": info.is_tensor,
        "element_bytes": info.size,
        "scale": info.scale,
        "zero_point": list(info.zero_point),
    }


def _operation(declaration: OperationDeclaration) -> dict[str, Any]:
    return {
        "name": declaration.name,
        "code": int(declaration.type),
        "level": declaration.level,
        "summary": declaration.summary,
        "rows": [
            {"level": row.level, "types": {variable: kind.name for variable, kind in row.types.items()}}
            for row in declaration.rows
        ],
        "signatures": [_signature(signature) for signature in declaration.signatures],
        "outputs": [_formal(formal) for formal in declaration.outputs],
        "output_counts": list(declaration.output_counts),
        "zero_sized": declaration.zero_sized.value,
        "level_rules": [
            {"id": rule.id, "sentence": rule.sentence, "level": rule.level} for rule in declaration.level_rules
        ],
        "rules": [_rule(declaration, rule) for rule in operation_rules(declaration)],
    }


def _signature(signature: Signature) -> dict[str, Any]:
    inputs = [_formal(formal) for formal in signature.inputs]
    return {"name": signature.name, "lengths": list(signature.lengths), "inputs": inputs}


def _formal(formal: Formal) -> dict[str, Any]:
    kind = formal.type.name if isinstance(formal.type, OperandType | ExtensionType) else formal.type
    described: dict[str, Any] = {"name": formal.name, "type": kind, "meaning": formal.meaning}
    if formal.rank is not None:
        described |= {"rank": list(formal.rank), "rank_phase": formal.rank_phase.value}
    if formal.level > 1:
        described["level"] = formal.level
    if formal.values:
        described["values"] = [int(value) for value in formal.values]
    if formal.variadic:
        described |= {"variadic": True, "minimum": formal.minimum}
    return described | {flag: True for flag in ("omissible", "parameter") if getattr(formal, flag)}


def _rule(declaration: OperationDeclaration, rule: ContractRule) -> dict[str, Any]:
    described = {"id": rule.id, "phase": rule.phase, "status": status_of(declaration, rule)}
    return described | {"sentence": rule.sentence} if rule.id in declaration.rule_index else described
