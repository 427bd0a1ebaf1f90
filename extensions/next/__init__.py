"""The extension ``nnvet.next``: 28 operations that today's networks use and that the contract lacks.

``NNVET_EXTENSIONS=nnvet.extensions.next`` loads it, and :data:`NEXT` is what the suite then finds. Semantics are those
of ONNX; docs/next.md has a table. The packages have the same four modules each, one for each family of operations:

- ``declarations``: operands, types, shapes of results and rules,
- ``meanings``: ideal results, for the oracle,
- ``operands``: generators of random operands, for random models,
- ``kernels``: the computation by the bundled driver; float16 is computed in float32 and stored as float16.

``bounds`` has error bounds, ``onnx_claims`` and ``torch_claims`` the operations that ONNX Runtime and PyTorch compute.
"""

from __future__ import annotations

from typing import Final

from nnvet.extensions.next import bounds, codes, declarations, kernels, meanings, operands
from nnvet.hal.extensions import ExtensionDeclaration
from nnvet.oracle.bounds.following import BY_WIDE_MEANING

NEXT: Final = ExtensionDeclaration(
    name=codes.NAME,
    operand_types=codes.OPERAND_TYPES,
    operations=declarations.DECLARATIONS,
    meanings=meanings.MEANINGS,
    bounds={operation.type: BY_WIDE_MEANING for operation in declarations.DECLARATIONS} | dict(bounds.RULES),
    generators=operands.GENERATORS,
    kernels=kernels.KERNELS,
    claims={
        "onnxruntime": "nnvet.extensions.next.onnx_claims",
        "openvino": "nnvet.extensions.next.onnx_claims:OPENVINO_CLAIMS",
        "torch": "nnvet.extensions.next.torch_claims",
    },
)
