"""Generators of operands for GELU, SILU, MISH, SOFTPLUS, ERF, CLIP, SIGN, ROUND, for random models.

Each generator of :data:`GENERATORS` adds the operands to a draft in the order of the declaration
(``declarations/activation.py``), and the output last. ``reach`` is the largest magnitude of an operand's elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nnvet.extensions.next import codes
from nnvet.generators.random_graphs.draft import Draft, Trait
from nnvet.generators.random_graphs.signature import Build

_LOG_2: Final = 0.7
"""Most by which SOFTPLUS exceeds the magnitude of its argument: log 2, rounded up."""


def _build_not_larger(draft: Draft) -> None:
    """Add the operands of a function whose results are not larger than its arguments."""
    draft.input()
    draft.output()


def _build_gelu(draft: Draft) -> None:
    draft.input()
    draft.truth()
    draft.output()


def _build_softplus(draft: Draft) -> None:
    source = draft.input()
    draft.output(reach=source.reach + _LOG_2, traits=Trait.NON_NEGATIVE)


def _build_erf(draft: Draft) -> None:
    draft.input()
    draft.output(reach=1.0)


def _build_clip(draft: Draft) -> None:
    source = draft.input()
    ends = [draft.real(-source.reach, source.reach) for _ in range(2)]
    draft.output(reach=max(map(abs, ends)))


def _build_with_steps(draft: Draft) -> None:
    """Add the operands of a function with steps: there a small error of the argument changes the result by 1.

    So no operation of the model reads the results (``connects``).
    """
    draft.input()
    draft.output(connects=False, reach=draft.inputs[0].reach + 1)


GENERATORS: Final[Mapping[int, Build]] = {
    **dict.fromkeys((codes.SILU, codes.MISH), _build_not_larger),
    **dict.fromkeys((codes.SIGN, codes.ROUND), _build_with_steps),
    codes.GELU: _build_gelu,
    codes.SOFTPLUS: _build_softplus,
    codes.ERF: _build_erf,
    codes.CLIP: _build_clip,
}
