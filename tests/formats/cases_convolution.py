"""Convolutions, matrix products and pooling."""

from __future__ import annotations

from typing import Any

from tests.formats.case_forms import Case, bias, c, f, q, s, w, w8

CONV = {"padding": 0, "stride_w": 1, "stride_h": 1}
POOL = {"padding": 0, "stride_w": 2, "stride_h": 1, "filter_width": 3, "filter_height": 2}
CHANNEL: dict[str, Any] = {"scale": (0.01, 0.02, 0.04), "axis": 0}
CHANNEL3: dict[str, Any] = {"scale": (0.01, 0.02, 0.04, 0.03), "axis": 3}

CASES = [
    *(
        Case("CONV_2D", [f(1, 5, 6, 2), w(3, 2, 3, 2), w(3)], [f(1, 5, 6, 3)], {**CONV, "activation": a})
        for a in range(4)
    ),
    Case(
        "CONV_2D",
        [f(2, 7, 6, 2), w(3, 2, 3, 2), w(3)],
        [f(2, 5, 2, 3)],
        {"padding": 1, "stride_w": 1, "stride_h": 1, "dilation_w_factor": 2, "dilation_h_factor": 2},
        name="dilated",
    ),
    Case(
        "CONV_2D",
        [f(1, 5, 6, 2), w(3, 2, 3, 2), w(3)],
        [f(1, 3, 3, 3)],
        {"padding": 0, "stride_w": 2, "stride_h": 2},
        name="strided",
    ),
    Case("CONV_2D", [f(1, 5, 6, 4), w(6, 2, 3, 2), w(6)], [f(1, 5, 6, 6)], CONV, name="grouped"),
    Case(
        "CONV_2D",
        [q(1, 5, 6, 2), w8(3, 2, 3, 2, scale=0.02, zero_point=130), bias(3)],
        [q(1, 5, 6, 3, scale=0.2, zp=100)],
        {**CONV, "activation": 3},
    ),
    Case(
        "CONV_2D",
        [s(1, 5, 6, 2), w8(3, 2, 3, 2, dtype="int8", **CHANNEL), bias(3)],
        [s(1, 5, 6, 3, scale=0.2, zp=4)],
        CONV,
        name="per channel",
    ),
    Case(
        "CONV_2D",
        [s(1, 5, 6, 2), w8(3, 2, 3, 2, dtype="int8", scale=0.02), bias(3)],
        [s(1, 5, 6, 3, scale=0.2, zp=4)],
        CONV,
        name="int8 per tensor",
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        [f(1, 5, 6, 2), w(1, 2, 3, 4), w(4)],
        [f(1, 5, 6, 4)],
        {**CONV, "depth_multiplier": 2, "activation": 3},
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        [f(1, 7, 7, 2), w(1, 2, 3, 2), w(2)],
        [f(1, 7, 7, 2)],
        {**CONV, "depth_multiplier": 1, "dilation_w_factor": 2, "dilation_h_factor": 3},
        name="dilated",
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        [q(1, 5, 6, 2), w8(1, 2, 3, 4, scale=0.02, zero_point=130), bias(4)],
        [q(1, 5, 6, 4, scale=0.2)],
        {**CONV, "depth_multiplier": 2},
    ),
    Case(
        "DEPTHWISE_CONV_2D",
        [s(1, 5, 6, 2), w8(1, 2, 3, 4, dtype="int8", **CHANNEL3), bias(4)],
        [s(1, 5, 6, 4, scale=0.2)],
        {**CONV, "depth_multiplier": 2},
        name="per channel",
    ),
    Case(
        "TRANSPOSE_CONV",
        [c([1, 6, 8, 3]), w(3, 3, 3, 2), f(1, 3, 4, 2)],
        [f(1, 6, 8, 3)],
        {"padding": 0, "stride_w": 2, "stride_h": 2},
    ),
    Case(
        "TRANSPOSE_CONV",
        [c([1, 7, 9, 3]), w8(3, 3, 3, 2, dtype="int8", **CHANNEL), s(1, 3, 4, 2), bias(3)],
        [s(1, 7, 9, 3, scale=0.2)],
        {"padding": 1, "stride_w": 2, "stride_h": 2},
        version=3,
    ),
    Case("FULLY_CONNECTED", [f(2, 3), w(4, 3), w(4)], [f(2, 4)], {"activation": 1}),
    Case("FULLY_CONNECTED", [f(2, 2, 3), w(4, 3), None], [f(4, 4)], name="flattened without bias"),
    Case(
        "FULLY_CONNECTED",
        [f(2, 2, 3), w(4, 3), w(4)],
        [f(2, 2, 4)],
        {"keep_num_dims": True},
        version=5,
        name="dimensions kept",
    ),
    Case("FULLY_CONNECTED", [q(2, 3), w8(4, 3, scale=0.02, zero_point=130), bias(4)], [q(2, 4, scale=0.1)]),
    Case("FULLY_CONNECTED", [s(2, 3), w8(4, 3, dtype="int8", scale=0.02), bias(4)], [s(2, 4, scale=0.1)], version=4),
    Case(
        "FULLY_CONNECTED",
        [s(2, 2, 5), w8(3, 5, dtype="int8", **CHANNEL), bias(3)],
        [s(4, 3, scale=0.1)],
        {"activation": 1},
        version=4,
        name="per channel",
    ),
    Case(
        "FULLY_CONNECTED",
        [s(2, 2, 5), w8(3, 5, dtype="int8", **CHANNEL), None],
        [s(2, 2, 3, scale=0.1)],
        {"keep_num_dims": True},
        version=5,
        name="per channel, dimensions kept",
    ),
    Case("BATCH_MATMUL", [f(2, 3, 4), f(2, 4, 5)], [f(2, 3, 5)]),
    Case("BATCH_MATMUL", [f(2, 4, 3), f(2, 5, 4)], [f(2, 3, 5)], {"adj_x": True, "adj_y": True}, name="adjoint"),
    *(Case(op, [f(1, 5, 6, 2)], [f(1, 5, 3, 2)], POOL) for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")),
    *(Case(op, [q(1, 5, 6, 2)], [q(1, 5, 3, 2)], POOL) for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D")),
    *(Case(op, [s(1, 5, 6, 2)], [s(1, 5, 3, 2)], POOL) for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D")),
]
