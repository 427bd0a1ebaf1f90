"""The table of LiteRT: what it computes as the contract says, and why nothing else is claimed."""

from __future__ import annotations

from typing import Final

from nnvet.adapters.litert import elementwise, movement, numeric, products, recurrent
from nnvet.adapters.litert.emitter import Emitter
from nnvet.adapters.runtimes.claims import Table
from nnvet.hal.enums import OperationType

_O = OperationType
_STATE: Final = "TFLite keeps the states inside the interpreter, the contract passes them in and out"
_NONE: Final = "TFLite has no such builtin operator"
_CONTROL: Final = "other subgraphs are not converted"

UNCLAIMED: Final = {
    **dict.fromkeys(
        (
            _O.LSTM,
            _O.RNN,
            _O.SVDF,
            _O.BIDIRECTIONAL_SEQUENCE_LSTM,
            _O.BIDIRECTIONAL_SEQUENCE_RNN,
            _O.UNIDIRECTIONAL_SEQUENCE_LSTM,
            _O.UNIDIRECTIONAL_SEQUENCE_RNN,
            _O.QUANTIZED_16BIT_LSTM,
            _O.QUANTIZED_LSTM,
        ),
        _STATE,
    ),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.ROI_ALIGN,
            _O.ROI_POOLING,
        ),
        _NONE,
    ),
    _O.LSH_PROJECTION: "TFLite hashes with another function",
    _O.RANDOM_MULTINOMIAL: "draws follow another distribution of seeds, and cannot be compared",
    _O.IF: _CONTROL,
    _O.WHILE: _CONTROL,
}

TABLE: Final = Table[Emitter](
    "LiteRT", (*elementwise.CLAIMS, *movement.CLAIMS, *numeric.CLAIMS, *products.CLAIMS), UNCLAIMED
)

FILES: Final = Table[Emitter](
    "TFLite",
    (*TABLE.claims.values(), *recurrent.CLAIMS),
    {
        **{operation: reason for operation, reason in UNCLAIMED.items() if operation not in recurrent.RESULTS},
        _O.QUANTIZED_LSTM: "TFLite adds biases to the gates of its 8-bit LSTM that the contract leaves out",
        _O.QUANTIZED_16BIT_LSTM: "TFLite wants the weights of all gates in one matrix",
    },
)
"""Claims of files: in them the interpreter keeps states, which a driver's clients do not see."""

MISSING: Final = {
    "reference": {_O.ELU: "LiteRT registers no reference kernel"},
}
"""Operations that a choice of ``kernels`` does not have, with the reason."""
