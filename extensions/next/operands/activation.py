"""Generators of operands for GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND, for random models.

Each generator adds the operands to a draft in the order of the declaration (``declarations/activation.py``), and the
output last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.draft import Draft, Trait
from nnvet.generators.random_graphs.signature import Build

_LOG_2: Final = 0.7


def _no_larger(draft: Draft) -> None:
    """Build a function whose results are not larger than its arguments."""
    draft.input()
    draft.output()


def _gelu(draft: Draft) -> None:
    draft.input()
    draft.truth()
    draft.output()


def _softplus(draft: Draft) -> None:
    source = draft.input()
    draft.output(reach=source.reach + _LOG_2, traits=Trait.NON_NEGATIVE)


def _erf(draft: Draft) -> None:
    draft.input()
    draft.output(reach=1.0)


def _clip(draft: Draft) -> None:
    source = draft.input()
    ends = [draft.real(-source.reach, source.reach) for _ in range(2)]
    draft.output(reach=max(map(abs, ends)))


def _decided(draft: Draft) -> None:
    """Build a function with steps; no operation reads the results, in which small errors of the argument are large."""
    draft.input()
    draft.output(connects=False, reach=draft.inputs[0].reach + 1)


GENERATORS: Final[Mapping[int, Build]] = {
    **dict.fromkeys((codes.SILU, codes.MISH), _no_larger),
    **dict.fromkeys((codes.SIGN, codes.ROUND), _decided),
    codes.GELU: _gelu,
    codes.SOFTPLUS: _softplus,
    codes.ERF: _erf,
    codes.CLIP: _clip,
}
