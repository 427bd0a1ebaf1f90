"""The random models that relations are about: graphs of a few operations, and single operations."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final

from nnvet.generators.graphs.model import TestModel
from nnvet.generators.metamorphic.relation import Models
from nnvet.generators.random_graphs.catalogue import all_signatures, whole_pool
from nnvet.generators.random_graphs.chooser import Chooser
from nnvet.generators.random_graphs.generate import random_graph, single_operation
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import FeatureLevel, OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import OperationType

_T: Final = OperandType
FLOATS: Final = (_T.TENSOR_FLOAT32, _T.TENSOR_FLOAT32, _T.TENSOR_FLOAT16)
NUMBERS: Final = (*FLOATS, _T.TENSOR_INT32)
CODES: Final = (_T.TENSOR_QUANT8_ASYMM, _T.TENSOR_QUANT8_ASYMM_SIGNED)
ALL: Final = (*NUMBERS, *CODES)
"""Primary types of graphs; what stands there twice is drawn twice as often."""

_LIMITS: Final = SizeLimits(12, 1000)
_RANKS: Final = (4, 3, 2)
_LEVELS: Final = (FeatureLevel.FL2, FeatureLevel.FL3, FeatureLevel.FL4, FeatureLevel.FL8)


def graphs(operations: int, kinds: Collection[OperandType] = ALL) -> Models:
    """Graphs of so many operations, of these primary types and up to one of several levels."""
    choice = tuple(kinds)

    def draw(chooser: Chooser, name: str) -> TestModel:
        kind, rank, level = chooser.pick(choice), chooser.pick(_RANKS), chooser.pick(_LEVELS)
        signatures = whole_pool(kind, rank, max(level, type_info(kind).level))
        return random_graph(chooser, name, signatures, kind, rank, operations, _LIMITS)

    return draw


def singles(operations: Collection[OperationType], kinds: Collection[OperandType] = (), variant: str = "") -> Models:
    """Models of one of the operations, in any form whose name has ``variant``, of any type or one of ``kinds``."""

    @cache
    def rows() -> list[tuple[OperationSignature, OperandType]]:
        return [
            (signature, kind)
            for signature in all_signatures()
            if signature.operation in operations and variant in signature.variant
            for kind in signature.types
            if not kinds or kind in kinds
        ]

    def draw(chooser: Chooser, name: str) -> TestModel:
        # By operation first: some have many more forms and types than others.
        operation = chooser.pick(sorted({form.operation for form, _ in rows()}))
        signature, kind = chooser.pick([row for row in rows() if row[0].operation == operation])
        return single_operation(chooser, name, signature, kind, chooser.pick(signature.ranks), _LIMITS)

    return draw
