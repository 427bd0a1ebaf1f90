"""Operations of random models of mixed types, and how often they are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final, NamedTuple

from nnvet.generators.random_graphs.catalogue import whole_pool
from nnvet.generators.random_graphs.chooser import Chooser, SeededChooser
from nnvet.generators.random_graphs.flow import FlowDraft
from nnvet.generators.random_graphs.options import GraphOptions
from nnvet.generators.random_graphs.shapes import SizeLimits
from nnvet.generators.random_graphs.signature import OperationSignature
from nnvet.hal.enums import OperandType, OperationType

_O = OperationType
_PROBE: Final = SizeLimits(10, 1000, 2)
TIES: Final = (_O.EQUAL, _O.NOT_EQUAL)
"""Operations that say little unless values are equal."""
_SELDOM: Final = (*TIES, _O.RANK, _O.FILL, _O.HASHTABLE_LOOKUP)
"""Operations of which an output does not depend on the values of the inputs, or hardly ever."""
_SELDOM_TRUTHS: Final = (
    *(_O.RANK, _O.HASHTABLE_LOOKUP, _O.GREATER, _O.GREATER_EQUAL, _O.LESS, _O.LESS_EQUAL),
    *(_O.REDUCE_ALL, _O.REDUCE_ANY),
)
"""The same for truth values: what tells them apart keeps them even, what orders them makes them all alike."""
_KEPT: Final = (
    *(OperandType.TENSOR_BOOL8, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, OperandType.TENSOR_QUANT8_SYMM),
    *(OperandType.TENSOR_QUANT16_SYMM, OperandType.TENSOR_QUANT16_ASYMM),
)
"""Types that CAST leaves as they are, which is seldom wanted, too."""
_RARELY: Final = 20
"""So many of a thousand operations are of these."""
_APART: Final = 10
"""So many are ones that can read no output of another."""
_COSTLY: Final = 1
"""So many are ones that take as long as hundreds of others, since decisions are looked for that rounding leaves."""
_DECIDED: Final = (_O.GENERATE_PROPOSALS, _O.BOX_WITH_NMS_LIMIT, _O.DETECTION_POSTPROCESSING)
_ALL: Final = 1000
_APART_FROM: Final = 2
"""The first of the choices that read no output."""

_Forms = Sequence[Sequence[OperationSignature]]
"""Signatures, by operation."""


class Choices(NamedTuple):
    """The signatures of a type and rank: usual ones, seldom ones, ones that can read no output, costly ones."""

    usual: _Forms
    seldom: _Forms
    apart: _Forms
    costly: _Forms

    def drawn(self, chooser: Chooser) -> _Forms:
        """Those of which the next operation is to be one."""
        # The lowest number is the simplest, and stands for a usual operation.
        left = _ALL - chooser.integer(1, _ALL)
        for share, forms in ((_RARELY, self.seldom), (_APART, self.apart), (_COSTLY, self.costly)):
            if left < share and forms:
                return forms
            left -= share
        return self.usual


class Pools(NamedTuple):
    """Choices by type and rank; ``beginnings`` has a pair as often as it has usual operations, ``usual`` once."""

    choices: Mapping[tuple[OperandType, int], Choices]
    beginnings: Sequence[tuple[OperandType, int]]
    usual: frozenset[tuple[OperandType, int]]


@cache
def pools_of(options: GraphOptions) -> Pools:
    """Return the pools of operations for models; one alone reads no other, so that all its forms are usual ones.

    :raises ValueError: no operation has a type and rank that the options allow.
    """
    found: dict[tuple[OperandType, int], Choices] = {}
    beginnings: list[tuple[OperandType, int]] = []
    for kind, rank in product(options.types, options.ranks):
        forms: tuple[dict[OperationType, list[OperationSignature]], ...] = ({}, {}, {}, {})
        for signature in whole_pool(kind, rank, options.level):
            if not options.only or signature.operation in options.only:
                place = _place(signature, kind)
                is_alone = place == _APART_FROM and options.operations[1] == 1
                forms[0 if is_alone else place].setdefault(signature.operation, []).append(signature)
        usual, *others = (list(group.values()) for group in forms)
        if usual or any(others):
            found[kind, rank] = Choices(usual or next(filter(None, others)), *others)
            beginnings += [(kind, rank)] * len(usual)
    if not found:
        raise ValueError("no operation has a type and rank that the options allow")
    beginnings = beginnings or list(found)
    return Pools(found, beginnings, frozenset(beginnings))


def reads_outputs(signature: OperationSignature, kind: OperandType) -> bool:
    """Return True if an operation of a random model may read what another one has computed."""
    return _place(signature, kind) < _APART_FROM


def _place(signature: OperationSignature, kind: OperandType) -> int:
    """Return the number of the choice that a signature belongs to."""
    seldom = _SELDOM_TRUTHS if kind == OperandType.TENSOR_BOOL8 else _SELDOM
    if signature.operation in seldom or (signature.operation == _O.CAST and kind in _KEPT):
        return 1
    if signature.operation in _DECIDED:
        return 3
    return 0 if _can_read(signature) else 2


@cache
def _can_read(signature: OperationSignature) -> bool:
    """Return True if a tensor of a signature may be the output of another operation, as one that is made shows."""
    kind, rank = signature.types[0], signature.ranks[0]
    draft = FlowDraft(SeededChooser(signature.name), _PROBE, signature.operation, kind, rank, signature.level)
    signature.build(draft)
    return bool(draft.made)
