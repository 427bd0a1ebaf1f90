"""Spec files of valid examples from other families with one change each, which breaks one rule.

A row of :data:`BREAKS` names an operation, the rule, and the inputs that change. Values that follow from these inputs
change, too, so that no other rule is broken. To cover a rule, add a row. Source: the pages of the operations in
docs/contract/operations.

The oracle (:mod:`nnvet.oracle.operations`) computes the expected values. ``corpus/writing.py`` calls :func:`files`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final

from nnvet.generators.corpus import emitter
from nnvet.generators.corpus.writing import places_of, valid_examples
from nnvet.hal.enums import OperandType
from nnvet.oracle.operations.recurrent import GATES


class Along(int):
    """A dimension along which a filter gets its scales."""


Change = tuple[int, ...] | list[int] | str | emitter.SpecTensor | Along | None
"""Change of an input: other dimensions with all elements 1, other list values, a scalar as text, a tensor, none."""
Kind = tuple[OperandType, float, int]
"""Operand type, scale and zero point."""


@dataclass(frozen=True)
class Break:
    """One example that breaks ``rule``.

    ``changes`` are those of inputs, by the names of the declaration, ``outputs`` the dimensions of all outputs where
    those of the example do not follow. With ``kinds`` it is made with these types alone: by name, of ``output0`` and
    so on for outputs, and under ``""`` of all other float tensors. ``scales`` are others, with zero points, of operands
    that have codes in the example. ``of`` is a glob of the names of examples that serve. ``label`` ends the name of an
    example where several break one rule.
    """

    operation: str
    rule: str
    changes: Mapping[str, Change] = field(default_factory=dict)
    outputs: Sequence[Sequence[int]] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    scales: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    of: str = "*"
    label: str = ""


CODES: Final[Kind] = (emitter.Q8, 0.5, 100)
"""The usual codes of an operand."""
COARSE: Final[Kind] = (emitter.Q8, 0.25, 100)
"""Codes of another scale, which break rules of equal quantisation."""
MOVED: Final = (
    *("DEPTH_TO_SPACE", "SPACE_TO_DEPTH", "RESHAPE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "PAD", "PAD_V2"),
    *("BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "SQUEEZE", "TRANSPOSE", "CHANNEL_SHUFFLE", "EXPAND_DIMS", "SPLIT"),
    *("TILE", "TOPK_V2", "EMBEDDING_LOOKUP"),
)
"""Operations whose output must have the input's scale and zero point, which is checked when they run."""
KEPT: Final = ("MIRROR_PAD", "REVERSE")
"""The same for operations whose model is refused."""
ACTIVATIONS: Final = {
    **dict.fromkeys(("FULLY_CONNECTED", "SUB", "DIV"), "4"),
    **dict.fromkeys(("LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_LSTM"), "7"),
    **dict.fromkeys(("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_RNN", "SVDF"), "5"),
}
"""An unknown activation code for each operation."""
CHANNELS: Final = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 0, "GROUPED_CONV_2D": 3, "TRANSPOSE_CONV_2D": 3}
"""Dimension along which filters may not have scales."""


def _movements() -> Iterator[Break]:
    for operation in (*MOVED, *KEPT):
        rule = "quantization" if operation in KEPT else "output.quantization"
        changes: dict[str, Change] = {"value": 'Int32Scalar("value", 3)'} if operation == "PAD_V2" else {}
        yield Break(operation, rule, changes, kinds={"": CODES, "output0": COARSE})
    for operation in KEPT:
        yield Break(operation, "output.rank", outputs=[[1, 1, 1]])


RECURRENT: Final = tuple(f"recurrent_to_{gate}_weights" for gate in GATES)
"""Names of the recurrent weights of all gates."""
PREFIXES: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "LSTM": [("", "")],
    "UNIDIRECTIONAL_SEQUENCE_LSTM": [("", "")],
    "BIDIRECTIONAL_SEQUENCE_LSTM": [("fw_", "none_"), ("bw_", "none_")],
    "QUANTIZED_LSTM": [("", "")],
}
"""Operations with LSTM cells: the prefixes of each cell's operands, and the names of suitable examples."""
BATCH, STEPS, UNITS, PROJECTED = 2, 3, 4, 3
"""Sizes of the examples with LSTM cells."""
MISSING: Final[Mapping[str, tuple[str, Mapping[str, Change]]]] = {
    "input_gate": ("basic*", {"recurrent_to_input_weights": None}),
    "peephole": ("*peephole*", {"cell_to_output_weights": None}),
    "input_gate_bias": ("basic*", {"input_gate_bias": None}),
    "layer_norm": ("*layer_norm*", {"cell_layer_norm_weights": None}),
    "projection_bias": ("basic*", {"projection_bias": (UNITS,)}),
    "output_size": (
        "basic*",
        {**dict.fromkeys(RECURRENT, (UNITS, PROJECTED)), "output_state_in": (BATCH, PROJECTED)},
    ),
    "recurrent_to_output_weights.dimensions": (
        "basic*",
        {"recurrent_to_output_weights": (UNITS + 1, UNITS)},
    ),
}
"""Invalid combinations of a cell's operands: the rule, the suitable examples, and the changes."""


_NARROW, _WIDE = [BATCH, STEPS, PROJECTED], [BATCH, STEPS, UNITS]
"""Dimensions of outputs of cells with a projection, and without one."""
SIZES: Final[Mapping[tuple[str, str], Sequence[Sequence[int]]]] = {
    ("LSTM", ""): [[BATCH, 4 * UNITS], [BATCH, PROJECTED], [BATCH, UNITS], [BATCH, PROJECTED]],
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", ""): [_NARROW],
    ("BIDIRECTIONAL_SEQUENCE_LSTM", "fw_"): [_NARROW, _WIDE],
    ("BIDIRECTIONAL_SEQUENCE_LSTM", "bw_"): [_WIDE, _NARROW],
    ("QUANTIZED_LSTM", ""): [[BATCH, PROJECTED], [BATCH, UNITS], [BATCH, PROJECTED]],
}
"""Dimensions of the outputs of an operation whose cells have fewer outputs than units, by prefix."""


PEEPHOLE, NORM = "cell_to_{}_weights", "{}_layer_norm_weights"
"""Names of weights, with a gap for the gate."""
PARTS: Final[Mapping[tuple[str, bool], tuple[str, Sequence[str]]]] = {
    ("peephole", False): (PEEPHOLE, ("input", "forget")),
    ("peephole", True): (PEEPHOLE, ("forget", "output")),
    ("layer_norm", False): (NORM, ("input", "forget", "output")),
    ("layer_norm", True): (NORM, ("forget", "cell", "output")),
}
"""Operands of which one is missing, by rule and by True for coupled input and forget gates."""
_PLAIN: Final = {
    ("peephole", False): "peephole*",
    ("peephole", True): "cifg_peephole*",
    ("layer_norm", False): "layer_norm_[ts]*",
    ("layer_norm", True): "layer_norm_cifg_tanh*",
}
"""Names of examples with such operands, as globs, by rule and by True for coupled gates."""
_BOTH_WAYS: Final = {
    ("peephole", False): "parallel_peephole*",
    ("peephole", True): "none_cifg_peephole*",
    ("layer_norm", False): "cross_layer_norm_apart*",
    ("layer_norm", True): "parallel_layer_norm_cifg*",
}
"""The same for operations of two directions."""
_OF_CODES: Final = {**_PLAIN, ("layer_norm", False): "layer_norm", ("layer_norm", True): "cifg_layer_norm"}
"""The same for the quantised LSTM, which lacks examples of some names."""
WITH_PARTS: Final = {
    "LSTM": _PLAIN,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _PLAIN,
    "BIDIRECTIONAL_SEQUENCE_LSTM": _BOTH_WAYS,
    "QUANTIZED_LSTM": _OF_CODES,
}
"""Names of the examples of each operation that have such operands."""


def _incomplete_cells() -> Iterator[Break]:
    for operation, globs in WITH_PARTS.items():
        for prefix, _ in PREFIXES[operation]:
            for (rule, is_coupled), (operand, gates) in PARTS.items():
                for gate in gates:
                    label = f"coupled_without_{gate}" if is_coupled else f"without_{gate}"
                    changes: dict[str, Change] = {prefix + operand.format(gate): None}
                    yield Break(operation, prefix + rule, changes, of=globs[rule, is_coupled], label=label)
            given: dict[str, Change] = {prefix + NORM.format("input"): (UNITS,)}
            of = globs["layer_norm", True]
            yield Break(operation, f"{prefix}layer_norm", given, of=of, label="coupled_with_input")


WITHOUT_BIAS_RULE: Final = ("UNIDIRECTIONAL_SEQUENCE_LSTM", "QUANTIZED_LSTM")
"""Operations that accept a projection bias without a projection."""


def _cells() -> Iterator[Break]:
    for operation, code in ACTIVATIONS.items():
        yield Break(operation, "activation", {"activation": code})
    for operation, cells in PREFIXES.items():
        for prefix, start in cells:
            for rule, (of, changes) in MISSING.items():
                if rule == "projection_bias" and operation in WITHOUT_BIAS_RULE:
                    continue
                named = {prefix + name: change for name, change in changes.items()}
                outputs = SIZES[operation, prefix] if rule == "output_size" else ()
                yield Break(operation, prefix + rule, named, outputs, of=start + of)
    for name in ("cell_to_input_weights", "cell_to_forget_weights", "cell_to_output_weights"):
        yield Break("QUANTIZED_LSTM", f"{name}.dimensions", {name: (UNITS + 1,)}, of="*peephole*")
    narrow = {**dict.fromkeys(RECURRENT, (UNITS, PROJECTED)), "output_state_in": (BATCH, PROJECTED)}
    yield Break("QUANTIZED_16BIT_LSTM", "output_size", narrow, [[BATCH, PROJECTED]] * 2)
    state = {"output_state_in": (1 / 64, 128)}
    yield Break("QUANTIZED_16BIT_LSTM", "output_state_in.quantization", scales={**state, "output1": (1 / 64, 128)})
    yield Break("QUANTIZED_16BIT_LSTM", "output.quantization", scales={"output1": (1 / 64, 128)})
    yield Break("QUANTIZED_LSTM", "output.quantization", scales={"output0": (0.25, 5)})
    merged: dict[str, Change] = {"merge_outputs": "False"}
    yield Break(
        "BIDIRECTIONAL_SEQUENCE_LSTM", "outputs.merge", merged, [[STEPS, BATCH, PROJECTED]], of="none_*_merged_time*"
    )
    yield Break("QUANTIZED_16BIT_LSTM", "recurrent_to_output_weights.dimensions", {RECURRENT[3]: (UNITS + 1, UNITS)})


def _convolutions() -> Iterator[Break]:
    for operation, dimension in CHANNELS.items():
        yield Break(operation, "filter.channel_dim", {"filter": Along(dimension)})
    for operation in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        for name in ("dilation_width", "dilation_height"):
            yield Break(operation, f"dilation.{name}", {name: "0"}, of="dilated_same*")
    # A window that is one cell too large: by the formula, rounded, no row or column is left, which may be declared.
    higher: dict[str, Change] = {"filter": (2, 6, 3, 3), "stride_height": "2"}
    yield Break("CONV_2D", "output.size", higher, [[1, 0, 2, 2]], of="valid_padding*")
    wider: dict[str, Change] = {"filter": (1, 3, 5, 3), "stride_width": "2"}
    yield Break("DEPTHWISE_CONV_2D", "output.size", wider, [[1, 3, 0, 3]], of="valid_padding*")
    yield Break("DEPTHWISE_CONV_2D", "depth_multiplier", {"depth_multiplier": "0"})
    one_group = "one_group_valid*"
    higher = {"filter": (3, 5, 3, 2), "stride_height": "2"}
    yield Break("GROUPED_CONV_2D", "output.size", higher, [[1, 0, 2, 3]], of=one_group)
    yield Break("GROUPED_CONV_2D", "groups", {"groups": "0"}, of=one_group)
    yield Break("GROUPED_CONV_2D", "filter.depth_out", {"groups": "2", "input": (1, 4, 4, 4)}, of=one_group)
    yield Break("TRANSPOSE_CONV_2D", "output_shape.length", {"output_shape": [1, 4, 8]})


BOXES: Final[Kind] = (emitter.Q16A, 0.125, 0)
"""Codes of coordinates of boxes, whose scale the pages prescribe."""
COARSE_BOXES: Final[Kind] = (emitter.Q16A, 0.25, 0)
"""Codes of coordinates with a scale that is not allowed."""
SCORES: Final[Kind] = (emitter.Q8, 1 / 128, 0)
"""Codes of scores from 0 to 1."""
COARSE_SCORES: Final[Kind] = (emitter.Q8, 1 / 64, 0)
"""Codes of scores of another scale."""
FEATURES: Final[Kind] = (emitter.Q8, 1 / 16, 128)
"""Codes of image features and of deltas."""
DETECTORS: Final[Mapping[str, tuple[Mapping[str, Kind], Mapping[str, Mapping[str, Kind]]]]] = {
    "AXIS_ALIGNED_BBOX_TRANSFORM": (
        {"roi": BOXES, "deltas": FEATURES, "image_info": BOXES, "output0": BOXES},
        {"output.quantization": {"output0": COARSE_BOXES}},
    ),
    "BOX_WITH_NMS_LIMIT": (
        {"scores": SCORES, "boxes": BOXES, "output0": SCORES, "output1": BOXES},
        {"output.quantization": {"output0": COARSE_SCORES}},
    ),
    "GENERATE_PROPOSALS": (
        {
            "scores": SCORES,
            "deltas": FEATURES,
            "anchors": (emitter.Q16S, 0.125, 0),
            "image_info": BOXES,
            "output0": SCORES,
            "output1": BOXES,
        },
        {
            "output.quantization": {"output0": COARSE_SCORES},
            "anchors.quantization": {"anchors": (emitter.Q16S, 0.25, 0)},
        },
    ),
    "HEATMAP_MAX_KEYPOINT": (
        {"heatmap": FEATURES, "boxes": BOXES, "output0": FEATURES, "output1": BOXES},
        {"output.quantization": {"output1": COARSE_BOXES}, "boxes.quantization": {"boxes": COARSE_BOXES}},
    ),
    "ROI_ALIGN": (
        {"input": FEATURES, "rois": BOXES, "output0": FEATURES},
        {"rois.quantization": {"rois": COARSE_BOXES}},
    ),
    "ROI_POOLING": (
        {"input": FEATURES, "rois": BOXES, "output0": FEATURES},
        {"rois.quantization": {"rois": COARSE_BOXES}},
    ),
}
"""Types of the operands of each operation on boxes, and those that break a rule."""


def _others() -> Iterator[Break]:
    for operation, (kinds, wrong) in DETECTORS.items():
        for rule, changed in wrong.items():
            yield Break(operation, rule, kinds={**kinds, **changed})
    for operation in ("LOGISTIC", "TANH"):
        output = (emitter.Q8, 1 / 256, 0) if operation == "LOGISTIC" else (emitter.Q8, 1 / 128, 128)
        yield Break(operation, "input.scale", kinds={"input": (emitter.Q8, 2.0**-28, 128), "output0": output})
    softmax = {"input": (emitter.Q8, 2.0**-27, 0), "output0": (emitter.Q8, 1 / 256, 0)}
    yield Break("SOFTMAX", "multiplier", kinds=softmax, of="rank2_beta_one")
    tiny = {"input0": (emitter.Q8, 1e-30, 0), "input1": (emitter.Q8, 1e-30, 0), "output0": CODES}
    yield Break("MUL", "output.multiplier", kinds=tiny)
    yield Break("LSH_PROJECTION", "weight.length", {"weight": (9,)}, of="dense")
    yield Break(
        "SQUEEZE",
        "dims.declared",
        {"dims": emitter.SpecTensor(emitter.INT32, [0, 0], [], role="Omitted")},
        of="no_ones",
    )
    yield Break("RANDOM_MULTINOMIAL", "samples.value", {"samples": "-1"})
    yield Break("RANDOM_MULTINOMIAL", "seeds.length", {"seeds": [1, 2, 3]})
    yield Break("REVERSE", "axis.dimension", {"axis": [0, 1]})
    for operation in ("REDUCE_ALL", "REDUCE_ANY"):
        yield Break(operation, "input.rank", {"input": (1, 1, 1, 1, 5)}, [[1, 1, 1, 5]], of="vector")
    yield Break("BATCH_MATMUL", "y.rank", {"y": (1, 1, 1, 2, 2)})
    yield Break("PACK", "quantization", kinds={"": CODES, "output0": COARSE})
    yield Break("PACK", "output.rank", outputs=[[2, 1, 3]])
    yield Break("RESHAPE", "shape.values", {"shape": [0]})


BREAKS: Final = (*_movements(), *_cells(), *_incomplete_cells(), *_convolutions(), *_others())
"""All broken rules; each gives one invalid example."""


def _tensor(change: Change, old: emitter.Operand | None) -> emitter.Operand:
    if isinstance(change, emitter.SpecTensor | str):
        return change
    assert isinstance(old, emitter.SpecTensor)  # noqa: S101 - all other examples do not serve
    if change is None:
        return replace(old, role="Omitted", dimensions=[0] * len(old.dimensions), values=[])
    if isinstance(change, Along):
        return replace(old, channel=int(change), scales=[0.5] * old.dimensions[change])
    role = "Parameter" if old.role == "Omitted" else old.role
    if isinstance(change, list):
        return replace(old, role=role, dimensions=[len(change)], values=change)
    return replace(old, role=role, dimensions=change, values=[1] * math.prod(change))


def _broken(wanted: Break, example: emitter.SpecExample) -> emitter.SpecExample:
    (call,) = example.operations
    operands, inputs = dict(example.operands), list(call.inputs)
    names = {formal: inputs[place] for formal, place in places_of(example).items()}
    names |= {f"output{index}": name for index, name in enumerate(call.outputs)}
    for formal, change in wanted.changes.items():
        new = _tensor(change, operands.get(names[formal]))
        if names[formal] in operands:
            operands[names[formal]] = new
        else:
            inputs[inputs.index(names[formal])] = str(new)
    for name, dims in zip(call.outputs, wanted.outputs, strict=False):
        output = operands[name]
        assert isinstance(output, emitter.SpecTensor)  # noqa: S101 - it is one of the operation
        operands[name] = replace(output, dimensions=dims, values=[0] * math.prod(dims))
    for formal, (scale, zero_point) in wanted.scales.items():
        tensor = operands[names[formal]]
        assert isinstance(tensor, emitter.SpecTensor)  # noqa: S101 - only those have a scale
        operands[names[formal]] = replace(tensor, scale=scale, zero_point=zero_point)
    calls = emitter.FAILS
    if wanted.kinds:
        kinds = {names[formal]: kind for formal, kind in wanted.kinds.items() if formal}
        floats = [
            n for n, tensor in operands.items() if isinstance(tensor, emitter.SpecTensor) and tensor.type == emitter.F32
        ]
        rest = {name: wanted.kinds[""] for name in floats if name not in kinds and "" in wanted.kinds}
        calls = emitter.variations(emitter.conversion("quant8", {**rest, **kinds}), default=False) + calls
    label = "_".join([wanted.operation, wanted.rule, *filter(None, [wanted.label])]).lower().replace(".", "_")
    changed = replace(call, inputs=inputs)
    return replace(example, name=label, operands=operands, operations=[changed], calls=calls, comment="")


def _serves(wanted: Break, example: emitter.SpecExample) -> bool:
    (call,) = example.operations
    if call.type != wanted.operation or not fnmatchcase(example.name, wanted.of):
        return False
    places = places_of(example)
    if not wanted.changes.keys() <= places.keys() or (wanted.kinds and "includeDefault=False" in example.calls):
        return False
    olds = ((change, example.operands.get(call.inputs[places[name]])) for name, change in wanted.changes.items())
    return all(_can_change(change, old) for change, old in olds)


def _can_change(change: Change, old: emitter.Operand | None) -> bool:
    if isinstance(change, str | emitter.SpecTensor):
        return True
    return isinstance(old, emitter.SpecTensor) and (bool(old.scales) or not isinstance(change, Along))


def files() -> list[emitter.EmittedFile]:
    """Return all spec files of the family: one for each version.

    :raises ValueError: no example is suitable for a row of the table.
    """
    files: dict[str, emitter.EmittedFile] = {}
    for wanted in BREAKS:
        serving = ((folder, example) for folder, example in valid_examples() if _serves(wanted, example))
        folder, example = next(serving, ("", None))
        if example is None:
            raise ValueError(f"no example serves for {wanted}")
        files.setdefault(folder, emitter.EmittedFile(folder, "rules_invalid")).examples.append(_broken(wanted, example))
    return list(files.values())
