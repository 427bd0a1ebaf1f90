"""Operators that move, pad, look up or resize."""

from __future__ import annotations

import numpy as np

from tests.formats.case_forms import Case, T, c, f, q

CASES = [
    Case("RESHAPE", [f(2, 6), c([3, -1])], [f(3, 4)]),
    Case("RESHAPE", [q(2, 6)], [q(3, 4)], {"new_shape": np.asarray([3, 4])}, codes=0, name="shape as option"),
    Case("SQUEEZE", [f(1, 2, 1, 3)], [f(2, 1, 3)], {"squeeze_dims": np.asarray([0])}),
    Case("SQUEEZE", [f(1, 2, 1, 3)], [f(2, 3)], name="all"),
    Case("SQUEEZE", [f(2, 3)], [f(2, 3)], name="none"),
    Case("EXPAND_DIMS", [f(2, 3), c([-1])], [f(2, 3, 1)]),
    Case("TRANSPOSE", [f(2, 3, 4), c([2, 0, 1])], [f(4, 2, 3)]),
    Case("TRANSPOSE", [q(2, 3), c([1, 0])], [q(3, 2)], codes=0),
    Case("SLICE", [f(4, 5), c([1, 2]), c([2, -1])], [f(2, 3)]),
    Case("STRIDED_SLICE", [f(4, 6), c([1, 5]), c([4, 0]), c([2, -2])], [f(2, 3)]),
    Case(
        "STRIDED_SLICE",
        [f(4, 6), c([-1, 0]), c([0, 9]), c([1, 1])],
        [f(6)],
        {"shrink_axis_mask": 1, "begin_mask": 2, "end_mask": 2},
        name="shrunk",
    ),
    Case("STRIDED_SLICE", [f(4, 6), c([1]), c([3]), c([1])], [f(2, 6)], name="trailing dimensions"),
    Case("SPLIT", [c(1), f(2, 6)], [f(2, 3), f(2, 3)], {"num_splits": 2}),
    Case("SPLIT_V", [f(2, 6), c([1, -1, 2]), c(1)], [f(2, 1), f(2, 3), f(2, 2)], {"num_splits": 3}),
    Case("UNPACK", [f(3, 2)], [f(2), f(2), f(2)], {"num": 3, "axis": 0}),
    Case("UNPACK", [q(2, 2)], [q(2), q(2)], {"num": 2, "axis": -1}, codes=0),
    Case("PACK", [f(2, 3), f(2, 3)], [f(2, 2, 3)], {"values_count": 2, "axis": -2}),
    Case("CONCATENATION", [f(2, 3), f(2, 1)], [f(2, 4)], {"axis": -1}),
    Case("CONCATENATION", [q(2, 3), q(2, 1, scale=0.1, zp=10)], [q(2, 4, scale=0.07, zp=80)], {"axis": 1}),
    Case("GATHER", [f(4, 3), c([3, 0, 3])], [f(3, 3)]),
    Case("GATHER", [f(4, 3), c([[1], [2]])], [f(4, 2, 1)], {"axis": 1}),
    Case("GATHER", [f(4, 3), c(2)], [f(3)], name="scalar index"),
    Case("GATHER", [f(4, 3), c([3, 0], "int64")], [f(2, 3)], name="64-bit indices"),
    Case("TILE", [f(2, 3), c([2, 1])], [f(4, 3)]),
    Case("FILL", [c([2, 3]), c(1.5, "float32")], [f(2, 3)]),
    Case("REVERSE_V2", [f(2, 3), c([-1])], [f(2, 3)], name="negative axis"),
    Case("PAD", [f(2, 3), c([[1, 0], [2, 1]])], [f(3, 6)]),
    Case("PAD", [q(2, 3), c([[1, 0], [2, 1]], "int64")], [q(3, 6)], codes=0, name="64-bit paddings"),
    Case("PADV2", [f(2, 3), c([[1, 0], [2, 1]]), c(1.5, "float32")], [f(3, 6)]),
    Case(
        "PADV2",
        [q(2, 3), c([[1, 0], [2, 1]]), c([33], "uint8", scale=0.05, zero_point=120)],
        [q(3, 6)],
        codes=0,
        version=2,
    ),
    Case("MIRROR_PAD", [f(3, 4), c([[1, 2], [2, 0]])], [f(6, 6)], {"mode": 0}),
    Case("MIRROR_PAD", [f(3, 4), c([[1, 2], [2, 0]])], [f(6, 6)], {"mode": 1}, name="symmetric"),
    Case("SPACE_TO_DEPTH", [f(1, 4, 6, 2)], [f(1, 2, 3, 8)], {"block_size": 2}),
    Case("DEPTH_TO_SPACE", [f(1, 2, 3, 8)], [f(1, 4, 6, 2)], {"block_size": 2}),
    Case("SPACE_TO_BATCH_ND", [f(1, 3, 4, 2), c([2, 2]), c([[1, 0], [0, 2]])], [f(4, 2, 3, 2)]),
    Case("BATCH_TO_SPACE_ND", [f(4, 2, 3, 2), c([2, 2]), c([[0, 0], [0, 0]])], [f(1, 4, 6, 2)]),
    Case("BATCH_TO_SPACE_ND", [f(4, 2, 3, 2), c([2, 2]), c([[1, 0], [0, 2]])], [f(1, 3, 4, 2)], name="cropped"),
    *(
        Case(op, [f(1, 4, 5, 2), c([7, 8])], [f(1, 7, 8, 2)], flags, version=3, name=f"{flags}")
        for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
        for flags in ({}, {"align_corners": True}, {"half_pixel_centers": True})
    ),
    Case("RESIZE_BILINEAR", [q(1, 4, 5, 2), c([7, 8])], [q(1, 7, 8, 2)]),
    Case("EMBEDDING_LOOKUP", [c([2, 0, 2]), f(3, 4)], [f(3, 4)]),
    Case("HASHTABLE_LOOKUP", [c([4, 7, 9]), c([4, 5, 9]), f(3, 2)], [f(3, 2), T((3,), "uint8")]),
]
