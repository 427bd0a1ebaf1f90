"""The table of ONNX: operations that a runtime computes from ONNX as the contract says, and reasons for the others.

Other runtimes than ONNX Runtime take the table without the operations that they compute differently
(:meth:`nnvet.adapters.runtimes.claims.Table.without`).
"""

from __future__ import annotations

from typing import Final

from nnvet.adapters.onnxruntime import forms, movement, numeric, products
from nnvet.adapters.onnxruntime.emitter import OnnxEmitter
from nnvet.adapters.runtimes.claims import Table
from nnvet.hal.enums import OperationType

_O = OperationType
_NONE: Final = "ONNX has no operator that computes the same"
_GATES: Final = "ONNX's recurrent operators run over a whole sequence, with other activations, weights and states"
_CONTROL: Final = "models with referenced subgraphs are not converted"

UNCLAIMED: Final = {
    **dict.fromkeys(
        (
            _O.LSTM,
            _O.RNN,
            _O.BIDIRECTIONAL_SEQUENCE_LSTM,
            _O.BIDIRECTIONAL_SEQUENCE_RNN,
            _O.UNIDIRECTIONAL_SEQUENCE_LSTM,
            _O.UNIDIRECTIONAL_SEQUENCE_RNN,
            _O.QUANTIZED_16BIT_LSTM,
            _O.QUANTIZED_LSTM,
        ),
        _GATES,
    ),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HASHTABLE_LOOKUP,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.LSH_PROJECTION,
            _O.SVDF,
        ),
        _NONE,
    ),
    **dict.fromkeys((_O.ROI_ALIGN, _O.ROI_POOLING), "ONNX's operator samples, and rounds edges of regions, otherwise"),
    _O.RANDOM_MULTINOMIAL: "its random numbers differ from the contract's, so results cannot be compared",
    _O.IF: _CONTROL,
    _O.WHILE: _CONTROL,
}

TABLE: Final = Table[OnnxEmitter](
    "ONNX Runtime", (*forms.CLAIMS, *movement.CLAIMS, *numeric.CLAIMS, *products.CLAIMS), UNCLAIMED
)
