"""Spec files of operations whose operands have a rank just outside the allowed range, or an unknown rank.

Source: the pages of the operations in docs/contract/operations. The number of values stays: an operand of one rank
gets one dimension more or less at its front. An operand of several ranks gets one more than the highest.

``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeGuard

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.writing import places_of, valid_examples
from nnvet.hal.enums import FeatureLevel
from nnvet.hal.levels import version_name
from nnvet.hal.operations.catalogue import declarations

OF_ONE_RANK: Final[Mapping[str, frozenset[str]]] = {
    declaration.name: frozenset(
        formal.name
        for signature in declaration.signatures
        for formal in signature.bounded
        if not formal.variadic and formal.rank is not None and formal.rank[0] == formal.rank[1]
    )
    for declaration in declarations().values()
}
"""Inputs of each operation that allow only one rank."""

SIZED: Final = ("CAST",)
"""Operations whose input and output must agree in rank even if their sizes are unknown."""
_VERSIONS: Final = tuple(map(version_name, FeatureLevel))
"""Names of the HAL versions, from the oldest to the newest."""
_UNKNOWN: Final = version_name(3)
"""First version in which ranks may be unknown."""
_FIVE: Final = [1, 1, 1, 1, 2]
"""Dimensions of rank 5, one more than most operations allow."""
_NINE: Final = [1, 1, 1, 1, 1, 1, 1, 1, 2]
"""Dimensions of rank 9, one more than REVERSE allows."""


def _ones(*dims: int) -> emitter.SpecTensor:
    return emitter.SpecTensor(emitter.F32, dims, [1.0] * math.prod(dims))


def _numbers(*values: int) -> emitter.SpecTensor:
    return emitter.SpecTensor(emitter.INT32, [len(values)], values, role="Parameter")


_X: Final[Mapping[str, emitter.Operand]] = {"x": _ones(*_FIVE)}
"""A single tensor of rank 5."""
_REDUCED: Final = {**_X, "axes": _numbers(4), "keep": "False"}, [1, 1, 1, 1]
"""Inputs and output dimensions of the reductions of a tensor of rank 5."""
_BOX: Final = {"begin": _numbers(0, 0, 0, 0, 0), "end": _numbers(*_FIVE), "strides": _numbers(1, 1, 1, 1, 1)}
"""Begin, end and strides of STRIDED_SLICE for rank 5."""
OF_TOO_MANY: Final[Mapping[str, tuple[Mapping[str, emitter.Operand], Sequence[int]]]] = {
    **dict.fromkeys(("ADD", "SUB", "MUL", "DIV"), ({**_X, "y": _ones(2), "activation": "0"}, _FIVE)),
    "BATCH_MATMUL": ({**_X, "y": _ones(1, 1, 1, 2, 2), "adj_x": "False", "adj_y": "False"}, _FIVE),
    "CHANNEL_SHUFFLE": ({**_X, "groups": "2", "axis": "4"}, _FIVE),
    "CONCATENATION": ({**_X, "y": _ones(*_FIVE), "axis": "4"}, [1, 1, 1, 1, 4]),
    "FULLY_CONNECTED": ({**_X, "weights": _ones(1, 2), "bias": _ones(1), "activation": "0"}, [1, 1]),
    "L2_NORMALIZATION": (_X, _FIVE),
    "LOCAL_RESPONSE_NORMALIZATION": ({**_X, "radius": "1", "bias": "1.0", "alpha": "1.0", "beta": "1.0"}, _FIVE),
    "MEAN": ({**_X, "axes": _numbers(4), "keep": "0"}, [1, 1, 1, 1]),
    **dict.fromkeys(("REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_SUM"), _REDUCED),
    "RESHAPE": ({**_X, "shape": _numbers(2)}, [2]),
    "REVERSE": ({"x": _ones(*_NINE), "axis": _numbers(8)}, _NINE),
    "SOFTMAX": ({**_X, "beta": "1.0"}, _FIVE),
    "SQUEEZE": ({**_X, "dims": _numbers(0)}, [1, 1, 1, 2]),
    "STRIDED_SLICE": ({**_X, **_BOX, "begin_mask": "0", "end_mask": "0", "shrink_mask": "0"}, _FIVE),
    "TRANSPOSE": ({**_X, "perm": _numbers(0, 1, 2, 3, 4)}, _FIVE),
}
"""Inputs that are valid except for one dimension too many, and the dimensions of the output."""
OF_TOO_FEW: Final[Mapping[str, tuple[Mapping[str, emitter.Operand], Sequence[int]]]] = {
    "BATCH_MATMUL": ({"x": _ones(2), "y": _ones(2), "adj_x": "False", "adj_y": "False"}, [1]),
    "EMBEDDING_LOOKUP": ({"lookups": _numbers(0), "values": _ones(2)}, [1]),
    "FULLY_CONNECTED": ({"x": _ones(2), "weights": _ones(1, 2), "bias": _ones(1), "activation": "0"}, [1, 1]),
}
"""The same with one dimension too few."""


def _lower(dims: Sequence[int]) -> list[int]:
    return [dims[0] * dims[1], *dims[2:]]


def _of_one_rank() -> Iterator[tuple[str, emitter.SpecExample]]:
    for folder, example, place in _valid_examples():
        operation = example.operations[0]
        name = operation.inputs[place]
        tensor = example.operands[name]
        assert isinstance(tensor, emitter.SpecTensor)  # noqa: S101 - only those have values
        shapes = {"higher": [1, *tensor.dimensions]}
        if len(tensor.dimensions) > 1:
            shapes["lower"] = _lower(tensor.dimensions)
        for how, dims in shapes.items():
            operands = {**example.operands, name: replace(tensor, dimensions=dims)}
            label = f"{operation.type.lower()}_input_{place}_{how}"
            yield folder, replace(example, name=label, operands=operands, calls=emitter.FAILS, comment="")


def _valid_examples() -> Iterator[tuple[str, emitter.SpecExample, int]]:
    """Yield for each operand of one rank the first example in which it has values, its folder and operand's place."""
    missing = {(operation, formal) for operation, formals in OF_ONE_RANK.items() for formal in formals}
    for folder, example in valid_examples():
        for formal, place in places_of(example).items():
            key = example.operations[0].type, formal
            if key in missing and _has_values(example, place):
                missing.remove(key)
                yield folder, example, place
    if missing:
        raise ValueError(f"no example serves for {sorted(missing)}")


def _has_values(example: emitter.SpecExample, place: int) -> bool:
    operand = example.operands.get(example.operations[0].inputs[place])
    return (
        isinstance(operand, emitter.SpecTensor) and operand.role in ("Input", "Parameter") and len(operand.values) > 0
    )


def _of_several_ranks() -> Iterator[tuple[str, emitter.SpecExample]]:
    levels = {declaration.name: declaration.level for declaration in declarations().values()}
    for how, models in (("too_many", OF_TOO_MANY), ("too_few", OF_TOO_FEW)):
        for operation, (inputs, dims) in models.items():
            file = emitter.EmittedFile(version_name(levels[operation]), "")
            output = emitter.result(emitter.F32, dims, [0.0] * math.prod(dims))
            file.add(f"{operation.lower()}_{how}_dimensions", operation, inputs, output, emitter.FAILS)
            yield file.folder, file.examples[0]


def _of_unknown_shape() -> Iterator[tuple[str, emitter.SpecExample]]:
    """Yield operations whose input comes from an ADD in the model, once of unknown rank and once of unknown sizes."""
    for folder, example in _float_examples():
        operation = example.operations[0]
        given = {name: operand for name in operation.inputs if _is_float(operand := example.operands.get(name))}
        for how, rank in (("rank", 0), ("sizes", 1))[: 1 if operation.type in SIZED else 2]:
            operands, additions = dict(example.operands), []
            for name, tensor in given.items():
                operands[f"{name}_given"] = tensor
                operands[name] = emitter.SpecTensor(
                    emitter.F32, [0] * (rank * len(tensor.dimensions)), [], role="Internal"
                )
                additions.append(emitter.SpecCall("ADD", [f"{name}_given", "nothing", "0"], [name]))
            operands = {"nothing": emitter.SpecTensor(emitter.F32, [1], [0.0], role="Parameter"), **operands}
            label = f"{operation.type.lower()}_of_unknown_{how}"
            operations = [*additions, operation]
            needed = max(folder, _UNKNOWN, key=_VERSIONS.index) if how == "rank" else folder
            yield needed, emitter.SpecExample(label, operands, operations, emitter.ONCE)


def _is_float(operand: emitter.Operand | None) -> TypeGuard[emitter.SpecTensor]:
    return (
        isinstance(operand, emitter.SpecTensor)
        and operand.type == emitter.F32
        and operand.role in ("Input", "Parameter")
        and len(operand.values) > 0
        and len(operand.dimensions) in range(1, 5)
    )


def _float_examples() -> Iterator[tuple[str, emitter.SpecExample]]:
    """Yield the first example of each operation that takes float tensors, and the folder of the version it needs."""
    seen: set[str] = set()
    for folder, example in valid_examples():
        (operation,) = example.operations
        is_new = operation.type not in seen and "includeDefault=False" not in example.calls
        if is_new and any(map(_is_float, map(example.operands.get, operation.inputs))):
            seen.add(operation.type)
            yield folder, example


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family: two for each version."""
    files: dict[tuple[str, str], emitter.EmittedFile] = {}
    for name, found in (
        ("ranks_invalid", (*_of_several_ranks(), *_of_one_rank())),
        ("ranks_unknown", _of_unknown_shape()),
    ):
        for folder, example in found:
            files.setdefault((folder, name), emitter.EmittedFile(folder, name)).examples.append(example)
    return list(files.values())
