"""Write the tables of the C++ validator from docs/native/operations.json.

Usage: ``operation_tables.py INPUT OUTPUT``. The project's build runs it; ``tables.cpp`` includes the output.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ANY_TYPE, FIRST_VARIABLE = -1, -2
UNBOUNDED = 2**31 - 1


def array(kind: str, name: str, items: Iterable[str]) -> tuple[str, str]:
    """Return the C++ text that defines an array, and the span that refers to it.

    C++ has no empty arrays: without items there is no definition, and the span is null.
    """
    listed = list(items)
    if not listed:
        return "", "{nullptr, 0}"
    return f"const {kind} {name}[] = {{{', '.join(listed)}}};\n", f"{{{name}, {len(listed)}}}"


def formal_text(formal: Mapping[str, Any], codes: Mapping[str, int], variables: Sequence[str]) -> str:
    """Return the initializer of a formal operand.

    Its type is the code of an operand type, ANY_TYPE, or a type variable of the rows, numbered down from
    FIRST_VARIABLE.
    """
    known, name = {**codes, "*": ANY_TYPE}, formal["type"]
    kind = known[name] if name in known else FIRST_VARIABLE - variables.index(name)
    low, high = formal.get("rank", [None, None])
    ranks = f"{low or 0}, {UNBOUNDED if high is None else high}"
    in_model = json.dumps(formal.get("rank_phase") == "model")
    return f"{{{kind}, {ranks}, {in_model}, {json.dumps('variadic' in formal)}, {formal.get('minimum', 0)}}}"


def operation_text(operation: Mapping[str, Any], codes: Mapping[str, int]) -> tuple[str, str]:
    """Return the text of the arrays that an operation needs, and the initializer of its entry."""
    variables = sorted({name for row in operation["rows"] for name in row["types"]})
    prefix, text, signatures, rows = f"k{operation['code']}", "", [], []

    def named(kind: str, name: str, items: Iterable[str]) -> str:
        nonlocal text
        made, reference = array(kind, f"{prefix}{name}", items)
        text += made
        return reference

    # The arrays have to be defined before the entry that refers to them, so the text grows beside the entry.
    for index, signature in enumerate(operation["signatures"]):
        formals = (formal_text(formal, codes, variables) for formal in signature["inputs"])
        inputs = named("Formal", f"Inputs{index}", formals)
        signatures.append(f"{{{named('int', f'Lengths{index}', map(str, signature['lengths']))}, {inputs}}}")
    for index, row in enumerate(operation["rows"]):
        kinds = (str(codes[row["types"][name]] if name in row["types"] else ANY_TYPE) for name in variables)
        rows.append(named("int", f"Row{index}", kinds))
    outputs = named("Formal", "Outputs", (formal_text(output, codes, variables) for output in operation["outputs"]))
    counts = named("int", "Counts", map(str, operation["output_counts"]))
    parts = (named("Span<int>", "Rows", rows), named("Signature", "Signatures", signatures), outputs, counts)
    return text, f'{{{operation["code"]}, "{operation["name"]}", {", ".join(parts)}}}'


def type_text(kind: Mapping[str, Any]) -> str:
    """Return the initializer of an operand type."""
    low, high = kind["zero_point"]
    is_tensor = json.dumps(kind["is_tensor"])
    return f"{{{kind['code']}, {is_tensor}, {kind['element_bytes']}, ScaleRule::{kind['scale']}, {low}, {high}}}"


def tables(source: str | Path) -> str:
    """Return the text that tables.cpp includes."""
    data = json.loads(Path(source).read_text(encoding="utf-8"))
    codes = {kind["name"]: kind["code"] for kind in data["operand_types"]}
    operations = [operation_text(operation, codes) for operation in data["operations"]]
    text = "".join(arrays for arrays, _ in operations)
    text += array("OperandTypeInfo", "kOperandTypes", map(type_text, data["operand_types"]))[0]
    text += array("OperationInfo", "kOperations", (entry for _, entry in operations))[0]
    return text


if __name__ == "__main__":
    source, target = sys.argv[1:]
    Path(target).write_text(tables(source), encoding="utf-8")
