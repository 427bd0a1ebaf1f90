"""The generated parts of ``docs/contract/operations/``: lists of operands, rules, and the list of all operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from nnvet.hal.enums import OperandType
from nnvet.hal.extensions import known_extensions
from nnvet.hal.operand_types import ExtensionType
from nnvet.hal.operations.binding import accepted_inputs
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import ANY_TYPE, Formal, OperationDeclaration, Phase, Signature
from nnvet.hal.rules import ContractRule, operation_rules
from nnvet.hal.specification import status_of


@cache
def declared() -> dict[str, OperationDeclaration]:
    """The declarations of the contract, then those of known extensions, by name."""
    extensions = (operation for known in known_extensions().values() for operation in known.operations)
    return {declaration.name: declaration for declaration in (*declarations().values(), *extensions)}


def operations() -> Iterator[str]:
    """Every operation of the contract with its page, code, first level and meaning."""
    yield from ("| Code | Operation | Since | Result |", "|---|---|---|---|")
    for declaration in declarations().values():
        link = f"[{declaration.name}]({declaration.name}.md)"
        yield f"| {int(declaration.type)} | {link} | FL{declaration.level} | {declaration.summary} |"


def signatures(name: str) -> Iterator[str]:
    """Operand types that go together, by level, and the lists of inputs and outputs.

    :raises KeyError: no operation has that name.
    """
    yield from of_declaration(declared()[name])


def of_declaration(declaration: OperationDeclaration) -> Iterator[str]:
    """The same of any declaration, known or not."""
    code = int(declaration.type)
    where = f"{code & 0xFFFF} of its extension" if "::" in declaration.name else f"{code}"
    yield f"Operation code {where}, since FL{declaration.level}, {accepted_inputs(declaration)}."
    yield from _types_by_level(declaration)
    for signature in declaration.signatures:
        yield from _inputs(signature)
    counts = f": {_choice(declaration.output_counts)}" if declaration.output_counts else ""
    yield from ("", f"Outputs{counts}", "", "| Output | Name | Type | Notes |", "|---|---|---|---|")
    for position, formal in enumerate(declaration.outputs):
        yield f"| {_position(position, formal)} | {formal.name} | {_type(formal)} | {_notes(formal)} |"


def _types_by_level(declaration: OperationDeclaration) -> Iterator[str]:
    variables = list(dict.fromkeys(variable for row in declaration.rows for variable in row.types))
    if variables:
        yield from ("", f"| Since | {' | '.join(variables)} |", "|---|" + "---|" * len(variables))
        for row in declaration.rows:
            yield f"| FL{row.level} | {' | '.join(row.types[variable].name for variable in variables)} |"


def _inputs(signature: Signature) -> Iterator[str]:
    lengths = f": {_choice(signature.lengths)}" if signature.lengths else ""
    yield from ("", f"Inputs ({signature.name}){lengths}", "")
    yield from ("| Input | Name | Type | Rank | Meaning |", "|---|---|---|---|---|")
    for position, formal in enumerate(signature.inputs):
        meaning = "; ".join(part for part in (formal.meaning, _notes(formal)) if part)
        yield f"| {_position(position, formal)} | {formal.name} | {_type(formal)} | {_rank(formal)} | {meaning} |"


def _position(position: int, formal: Formal) -> str:
    return f"{position} …" if formal.variadic else str(position)


def _choice(numbers: Iterable[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


def _type(formal: Formal) -> str:
    if isinstance(formal.type, OperandType | ExtensionType):
        return formal.type.name
    return "any" if formal.type == ANY_TYPE else formal.type


def _rank(formal: Formal) -> str:
    if formal.rank is None:
        return ""
    low, high = formal.rank
    return str(low) if low == high else f"{low} to {high}" if high is not None else f"from {low}"


def _notes(formal: Formal) -> str:
    notes = (
        f"FL{formal.level}" if formal.level > 1 else "",
        "may have no value" if formal.omissible else "",
        f"{formal.minimum} or more" if formal.variadic else "",
        f"one of {', '.join(str(int(value)) for value in formal.values)}" if formal.values else "",
    )
    return "; ".join(note for note in notes if note)


def rules(name: str) -> Iterator[str]:
    """The rules of an operation, each with an anchor that is its id; those on missing values share a line.

    :raises KeyError: no operation has that name.
    """
    yield from rules_of(declared()[name])


def rules_of(declaration: OperationDeclaration) -> Iterator[str]:
    """The same of any declaration, known or not."""
    found = list(operation_rules(declaration))
    omitted = [rule for rule in found if rule.id.endswith(".omitted")]
    yield from ("| Rule | Checked on | If broken | Sentence |", "|---|---|---|---|")
    for rule in found:
        if rule not in omitted:
            yield f"| {_anchored(rule)} | {rule.phase} | {status_of(declaration, rule)} | {rule.sentence} |"
    if omitted:
        ids, status = " ".join(map(_anchored, omitted)), declaration.omission_status.name
        yield f"| {ids} | {Phase.EXECUTION.value} | {status} | The operand has a value when it is needed. |"


def _anchored(rule: ContractRule) -> str:
    return f'<a id="{rule.id}"></a>`{rule.id}`'
