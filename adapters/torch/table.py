"""The table of PyTorch: what it computes as the contract says, and why nothing else is claimed."""

from __future__ import annotations

from typing import Final

from nnvet.adapters.runtimes.claims import Table
from nnvet.adapters.torch import elementwise, lstm, movement, numeric, products, recurrent
from nnvet.adapters.torch.emitter import TorchEmitter
from nnvet.hal.enums import OperationType

_O = OperationType
_NONE: Final = "PyTorch has no function that computes the same"
_CONTROL: Final = "other subgraphs are not converted"

UNCLAIMED: Final = {
    **dict.fromkeys(
        (_O.QUANTIZED_16BIT_LSTM, _O.QUANTIZED_LSTM), "the contract computes codes in fixed point, to the bit"
    ),
    **dict.fromkeys(
        (
            _O.AXIS_ALIGNED_BBOX_TRANSFORM,
            _O.BOX_WITH_NMS_LIMIT,
            _O.DETECTION_POSTPROCESSING,
            _O.GENERATE_PROPOSALS,
            _O.HEATMAP_MAX_KEYPOINT,
            _O.LSH_PROJECTION,
        ),
        _NONE,
    ),
    **dict.fromkeys(
        (_O.ROI_ALIGN, _O.ROI_POOLING), "operators on regions are those of torchvision, which is not asked"
    ),
    _O.RANDOM_MULTINOMIAL: "draws follow another distribution of seeds, and cannot be compared",
    _O.IF: _CONTROL,
    _O.WHILE: _CONTROL,
}

TABLE: Final = Table[TorchEmitter](
    "PyTorch",
    (*elementwise.CLAIMS, *movement.CLAIMS, *numeric.CLAIMS, *products.CLAIMS, *recurrent.CLAIMS, *lstm.CLAIMS),
    UNCLAIMED,
)
