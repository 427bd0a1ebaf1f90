"""The models of the study: random ones of one operation and small graphs, by the kind of their arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.oracle_study.scales import revealing
from nnvet.conformance.oracle_study.values import SETS, with_values
from nnvet.generators.graphs.model import TestModel
from nnvet.generators.random_graphs.catalogue import all_signatures, whole_pool
from nnvet.generators.random_graphs.chooser import SeededChooser
from nnvet.generators.random_graphs.generate import random_graph, single_operation
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import FeatureLevel, OperandType, OperationType

_UNSIGNED, _SIGNED = OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_QUANT8_ASYMM_SIGNED
KINDS: Final = {
    "float32": (OperandType.TENSOR_FLOAT32,),
    "float16": (OperandType.TENSOR_FLOAT16,),
    "relaxed": (OperandType.TENSOR_FLOAT32,),
    "uint8": (_UNSIGNED,),
    "int8": (_SIGNED,),
    "per-channel": (_UNSIGNED, _SIGNED),
}
"""Kinds of arithmetic, and the types of operands that they are made of."""
_PER_CHANNEL: Final = "per-channel"
_LEFT_OUT: Final = frozenset((OperationType.RANDOM_MULTINOMIAL,))
"""Judged by the distribution of its results."""
_SMALL: Final = SizeLimits(8, 400)
"""Sizes of graphs."""
_OPERATIONS: Final = 5
_GRAPHS: Final = 3
"""Of each rank: an error needs its operation in a graph, and a way to an output."""
GRAPH: Final = "graph"


@dataclass(frozen=True)
class StudyModel:
    """A model, the kind of its arithmetic, and the name of its operation, or :data:`GRAPH`."""

    test: TestModel
    kind: str
    subject: str


def models_of(seed: int, kind: str) -> Iterator[StudyModel]:
    """A model of each signature and type of a kind, and three graphs of each rank."""
    for signature in all_signatures():
        if signature.operation in _LEFT_OUT or ("per_channel" in signature.variant) is not (kind == _PER_CHANNEL):
            continue
        for operand_type in KINDS[kind]:
            if operand_type in signature.types:
                yield _single(signature, operand_type, kind, seed)
    if kind != _PER_CHANNEL:
        yield from (_graph(rank, kind, seed, number) for rank in range(1, 5) for number in range(_GRAPHS))


def _single(signature: OperationSignature, operand_type: OperandType, kind: str, seed: int) -> StudyModel:
    name = f"oracle/{signature.name}/{kind}/{operand_type.name}/{seed}"
    chooser = SeededChooser(name)
    values = SETS[seed % len(SETS)]
    test = single_operation(chooser, name, signature, operand_type, chooser.pick(signature.ranks), values.limits)
    test = with_values(_relaxed(test, kind), values)
    return StudyModel(revealing(test) if values.revealing else test, kind, signature.operation.name)


def _graph(rank: int, kind: str, seed: int, number: int) -> StudyModel:
    name = f"oracle/{GRAPH}/{kind}/{rank}/{seed}/{number}"
    (operand_type,) = KINDS[kind]
    signatures = [
        signature
        for signature in whole_pool(operand_type, rank, max(FeatureLevel))
        if signature.operation not in _LEFT_OUT
    ]
    test = random_graph(SeededChooser(name), name, signatures, operand_type, rank, _OPERATIONS, _SMALL)
    return StudyModel(_relaxed(test, kind), kind, f"{GRAPH} of rank {rank}")


def _relaxed(test: TestModel, kind: str) -> TestModel:
    return replace(test, is_relaxed=True) if kind == "relaxed" else test
