"""The detection head, in both ways of suppression.

Where suppression is by the best score LiteRT leaves rows without a box as they are, so there all rows get one.
"""

from __future__ import annotations

from typing import Any

from flatbuffers import flexbuffers

from tests.formats.case_forms import Case, f, pos, q, w8
from tests.formats.case_forms import c as constant

HEAD = "CUSTOM 'TFLite_Detection_PostProcess'"
ANCHORS = [[0.2, 0.2, 0.3, 0.3], [0.2, 0.6, 0.3, 0.4], [0.5, 0.5, 0.5, 0.5], [0.7, 0.3, 0.2, 0.4], [0.8, 0.8, 0.3, 0.2]]

POSITIVE = (f(1, 5, 4), pos(1, 5, 3), constant(ANCHORS, "float32"))


def options(**changed: Any) -> bytes:
    """The options of a head of two classes that keeps four boxes."""
    known = {
        "max_detections": 4,
        "max_classes_per_detection": 1,
        "nms_score_threshold": 0.3,
        "nms_iou_threshold": 0.4,
        "num_classes": 2,
        "y_scale": 10.0,
        "x_scale": 10.0,
        "h_scale": 5.0,
        "w_scale": 5.0,
    }
    return bytes(flexbuffers.Dumps({**known, **changed}))


def head(rows: int, name: str, *inputs: Any, **changed: Any) -> Case:
    """A case whose outputs have ``rows`` rows."""
    given = list(inputs) or [f(1, 5, 4), f(1, 5, 3), constant(ANCHORS, "float32")]
    outputs = [f(1, rows, 4), f(1, rows), f(1, rows), f(1)]
    return Case(HEAD, given, outputs, {"custom_options": options(**changed)}, name=name)


CASES = [
    head(2, "one class", *POSITIVE, max_detections=2, nms_score_threshold=0.0),
    head(8, "two classes", *POSITIVE, max_classes_per_detection=2, nms_score_threshold=0.0, nms_iou_threshold=1.0),
    head(4, "class by class", use_regular_nms=True, detections_per_class=3),
    head(4, "class by class without a limit", use_regular_nms=True),
    head(
        4,
        "codes",
        q(1, 5, 4, scale=0.1),
        q(1, 5, 3, scale=0.0039, zp=0),
        w8(5, 4, scale=0.004, zero_point=0),
    ),
]
