"""Reductions, selections and normalisations along an axis."""

from __future__ import annotations

from typing import Any

from tests.formats.case_forms import Case, b, c, f, i32, q, s

SIG8: dict[str, Any] = {"scale": 1 / 256, "zp": 0}
NORM: dict[str, Any] = {"scale": 1 / 128, "zp": 128}

CASES = [
    Case("L2_NORMALIZATION", [q(2, 9)], [q(2, 9, **NORM)]),
    Case("SOFTMAX", [f(2, 7)], [f(2, 7)], {"beta": 1.5}),
    Case("SOFTMAX", [q(2, 7)], [q(2, 7, **SIG8)], {"beta": 1.0}),
    Case("SOFTMAX", [s(2, 7)], [s(2, 7, scale=1 / 256, zp=-128)], {"beta": 1.0}),
    Case(
        "LOCAL_RESPONSE_NORMALIZATION",
        [f(1, 2, 2, 6)],
        [f(1, 2, 2, 6)],
        {"radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.5},
    ),
    *(Case(op, [f(2, 3, 4), c([1])], [f(2, 4)]) for op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD")),
    *(Case(op, [f(2, 3, 4), c([0, -1])], [f(1, 3, 1)], {"keep_dims": True}) for op in ("MEAN", "SUM", "REDUCE_MAX")),
    *(Case(op, [b(2, 3), c([1])], [b(2)]) for op in ("REDUCE_ANY", "REDUCE_ALL")),
    Case("REDUCE_MAX", [q(2, 3, 4), c([1])], [q(2, 4)], codes=0),
    Case("MEAN", [q(1, 3, 4, 2), c([1, 2])], [q(1, 1, 1, 2)], {"keep_dims": True}),
    Case("SUM", [f(2, 3), c(1)], [f(2)], name="scalar axis"),
    Case("ARG_MAX", [f(2, 7), c(1)], [i32(2)], {"output_type": 2}),
    Case("ARG_MIN", [q(2, 7), c([-1])], [i32(2)], {"output_type": 2}),
    Case("TOPK_V2", [f(2, 7), c(3)], [f(2, 3), i32(2, 3)]),
]
