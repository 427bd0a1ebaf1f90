"""Suites ``OperationValidationTest`` and ``TestOperandExtraParams``: the operands of one operation at a time.

In CTS the signatures are written by hand. Here valid and invalid ones follow from the declarations of the operations,
and every wrong operand is well-formed by itself; :mod:`nnvet.generators.mutations` makes the forms. For IF and WHILE
the checks also cover unknown properties of operands. Wrong models that any operation may be part of are in
:mod:`nnvet.conformance.suites.validation.models`. Source: docs/contract/cts-tests.md 3, 3.4 and 2.11.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product, zip_longest
from typing import Any

from msgspec.structs import replace

from nnvet.conformance.kit.checks import begun_ahead, check
from nnvet.conformance.kit.invalid_requests import REFUSED_MODELS, try_mutants, try_question, try_questions
from nnvet.conformance.kit.notified import check_passed_on
from nnvet.conformance.kit.outcome import Outcome, passed, unsupported
from nnvet.conformance.kit.preparing import BegunQuestions, ask_supported, prepare_valid
from nnvet.conformance.kit.siblings import announce_form, require_form, require_model
from nnvet.conformance.kit.subject import Subject
from nnvet.generators.mutations.editing import Mutant
from nnvet.generators.mutations.operands import TYPES, with_type
from nnvet.generators.mutations.operations import sample
from nnvet.generators.operation_models import OperationForm, all_forms, model_of, takes
from nnvet.graphs.editor import with_operand
from nnvet.hal import types as hal
from nnvet.hal.operand_types import type_name
from nnvet.hal.operations.declaration import Phase
from nnvet.hal.validation import required_level

_SUITE = "OperationValidationTest"
_T = hal.OperandType
_SHAPES = {"known": (1, 2, 3), "unknown": (0, 2, 0), "no_rank": ()}
"""Shapes by how much of them is known."""


def _list_shapes() -> dict[str, tuple[tuple[int, ...], ...]]:
    """Return all combinations of three shapes, by the arguments of the cases."""
    return {"-".join(names): tuple(_SHAPES[name] for name in names) for names in product(_SHAPES, repeat=3)}


@check(_SUITE, "IF", rules=("prepare/valid",), level=4, parameters=_list_shapes)
def conditional(subject: Subject, shapes: tuple[tuple[int, ...], ...]) -> None:
    """The shapes of operands of IF and of its branches may be known or unknown."""
    outer, *branches = shapes
    model = _build_control_flow(hal.OperationType.IF, outer, [_build_floor(dimensions) for dimensions in branches])
    prepare_valid(subject, model)


@check(_SUITE, "WHILE", rules=("WHILE/known_sizes", "prepare/invalid"), level=4, parameters=_list_shapes)
def loop(subject: Subject, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Operands of WHILE, of its condition and of its body have known shapes (only the runtime allows others)."""
    outer, condition, body = shapes
    known = _SHAPES["known"]
    prepare_valid(
        subject, _build_control_flow(hal.OperationType.WHILE, known, [_build_comparison(known), _build_floor(known)])
    )
    if set(shapes) != {known}:
        model = _build_control_flow(hal.OperationType.WHILE, outer, [_build_comparison(condition), _build_floor(body)])
        mutant = Mutant(f"shapes {shapes} of operands, condition and body", model)
        check_passed_on([try_question(subject, mutant, step="shapes")])


def _build_control_flow(
    operation: hal.OperationType, outer: tuple[int, ...], subgraphs: Sequence[hal.Subgraph]
) -> hal.Model:
    """Return an operation that runs subgraphs on one float operand; IF has a condition as well."""
    kinds = hal.OperandLifeTime
    chosen = [
        hal.Operand(_T.SUBGRAPH, lifetime=kinds.SUBGRAPH, location=hal.DataLocation(offset=index))
        for index in range(len(subgraphs))
    ]
    condition = [hal.Operand(_T.TENSOR_BOOL8, (1,), lifetime=kinds.SUBGRAPH_INPUT)] * (
        operation is hal.OperationType.IF
    )
    given, result = (
        hal.Operand(_T.TENSOR_FLOAT32, outer, lifetime=lifetime)
        for lifetime in (kinds.SUBGRAPH_INPUT, kinds.SUBGRAPH_OUTPUT)
    )
    operands = (*condition, *chosen, given, result)
    last = len(operands) - 1
    listed = (*range(len(condition)), last - 1)
    main = hal.Subgraph(operands, (hal.Operation(operation, tuple(range(last)), (last,)),), listed, (last,))
    return hal.Model(main, tuple(subgraphs))


def _build_floor(dimensions: tuple[int, ...]) -> hal.Subgraph:
    """Return a branch or body that rounds its operand down."""
    operands = tuple(
        hal.Operand(_T.TENSOR_FLOAT32, dimensions, lifetime=lifetime)
        for lifetime in (hal.OperandLifeTime.SUBGRAPH_INPUT, hal.OperandLifeTime.SUBGRAPH_OUTPUT)
    )
    return hal.Subgraph(operands, (hal.Operation(hal.OperationType.FLOOR, (0,), (1,)),), (0,), (1,))


def _build_comparison(dimensions: tuple[int, ...]) -> hal.Subgraph:
    """Return a condition that compares the operand with itself, as one boolean whose size only the execution finds."""
    operands = (
        hal.Operand(_T.TENSOR_FLOAT32, dimensions, lifetime=hal.OperandLifeTime.SUBGRAPH_INPUT),
        hal.Operand(_T.TENSOR_BOOL8, (1,), lifetime=hal.OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    return hal.Subgraph(operands, (hal.Operation(hal.OperationType.EQUAL, (0, 0), (1,)),), (0,), (1,))


_MOST_MUTANTS = 32
"""Most wrong models of a case; a sample, because some operations have thousands."""
_MOST_EXTRA_INPUTS = 5
"""Most inputs too many."""
_MOST_EXTRA_OUTPUTS = 6
"""Most outputs too many."""


@cache
def _list_forms() -> dict[str, tuple[OperationForm, ...]]:
    """Return forms by operation and types; those of one entry differ in the number of operands."""
    found: dict[str, list[OperationForm]] = {}
    for form in all_forms():
        found.setdefault(_name([form]), []).append(form)
    return {name: tuple(forms) for name, forms in found.items()}


def _name(forms: Sequence[OperationForm]) -> str:
    return f"{forms[0].declaration.name}_{forms[0].type_names}"


@dataclass(frozen=True)
class _Plan:
    """The forms of an operation that a driver may know, and mutants of them: a sample of all that are possible."""

    known: tuple[OperationForm, ...]
    mutants: list[tuple[str, Mutant]]
    possible: int


@dataclass(frozen=True)
class _BegunTypes:
    plan: _Plan
    questions: BegunQuestions


def _plan(subject: Subject, forms: tuple[OperationForm, ...]) -> _Plan:
    mutants: dict[str, list[Mutant]] = {}
    known = tuple(form for form in forms if required_level(model_of(form)) <= subject.feature_level)
    if not known:
        level = subject.feature_level
        raise unsupported(f"the operation with these types is newer than feature level {level}", "model/level")
    for form in known:
        length = f"{len(form.inputs)} to {len(form.outputs)}"
        mutants[f"other type, {length}"] = list(_change_types(form))
        mutants[f"more operands, {length}"] = list(_add_operands(form))
    chosen = sample(mutants, _MOST_MUTANTS, forms[0].declaration.name + forms[0].type_names)
    return _Plan(known, chosen, sum(map(len, mutants.values())))


def _announce_types(subject: Subject, forms: tuple[OperationForm, ...]) -> None:
    """Ask all that :func:`operand_types` asks."""
    plan = _plan(subject, forms)
    models = [*map(model_of, plan.known), *[mutant.model for _, mutant in plan.mutants]]
    begun_ahead(subject)[_name(forms)] = _BegunTypes(plan, BegunQuestions(subject, models))
    for form in plan.known:
        announce_form(subject, form)


@check(
    _SUITE,
    "Types",
    rules=(*REFUSED_MODELS, "model/operand.subgraph", "[A-Z]*/types", "[A-Z]*/inputs.count", "[A-Z]*/outputs.count"),
    parameters=_list_forms,
    announce=_announce_types,
)
def operand_types(subject: Subject, forms: tuple[OperationForm, ...]) -> Outcome:
    """Valid forms are accepted; those with an operand of another type, or with too many operands, are refused."""
    begun = begun_ahead(subject).pop(_name(forms), None)
    plan = _plan(subject, forms) if begun is None else begun.plan
    answers = [] if begun is None else begun.questions.answers(subject)
    for form, ask in zip_longest(plan.known, answers[: len(plan.known)]):
        ask_supported(subject, model_of(form), ask)
    try_questions(subject, plan.mutants, answers[len(plan.known) :])
    require_form(subject, *plan.known)
    return passed(mutants=len(plan.mutants), of=plan.possible)


def _change_types(form: OperationForm) -> Iterator[Mutant]:
    """Yield models in which one operand has a type that no signature of the operation has there."""
    model = model_of(form)
    types, first_output = (*form.inputs, *form.outputs), len(form.inputs)
    for position, kind in enumerate(types):
        for info in TYPES:
            changed = (*types[:position], info.type, *types[position + 1 :])
            if takes(form.declaration, changed[:first_output], changed[first_output:]):
                continue
            operand = with_type(model.main.operands[position], info)
            what = f"operand {position} is {info.type.name}, not {type_name(kind)}"
            yield Mutant(what, replace(model, main=with_operand(model.main, position, operand)))


def _add_operands(form: OperationForm) -> Iterator[Mutant]:
    """Yield models in which the operation has more inputs or outputs than any signature."""
    model = model_of(form)
    main, first_output = model.main, len(form.inputs)
    for extra in range(1, _MOST_EXTRA_INPUTS + 1):
        if not takes(form.declaration, (*form.inputs, *form.inputs[:1] * extra), form.outputs):
            inputs = (*main.operations[0].inputs, *[0] * extra)
            operation = replace(main.operations[0], inputs=inputs)
            yield Mutant(f"{extra} more inputs", replace(model, main=replace(main, operations=(operation,))))
    for extra in range(1, _MOST_EXTRA_OUTPUTS + 1):
        if not takes(form.declaration, form.inputs, (*form.outputs, *form.outputs[:1] * extra)):
            copies = (main.operands[first_output],) * extra
            operands = (*main.operands, *copies)
            outputs = tuple(range(first_output, len(operands)))
            operation = replace(main.operations[0], outputs=outputs)
            changed = hal.Subgraph(operands, (operation,), main.input_indexes, outputs)
            yield Mutant(f"{extra} more outputs", replace(model, main=changed))


def _list_ranked() -> Mapping[str, OperationForm]:
    """Return the first form of each operation that bounds ranks of inputs in the model."""
    first: dict[str, OperationForm] = {}
    for form in all_forms():
        if any(_list_wrong_ranks(form)):
            first.setdefault(form.declaration.name, form)
    return first


def _list_wrong_ranks(form: OperationForm) -> Iterator[tuple[int, int]]:
    """Yield positions of inputs, with the ranks just outside of their bounds; a tensor has no rank below 1."""
    for position in range(len(form.inputs)):
        low, high = _bounds_of_rank(form, position) or (1, None)
        for rank in (low - 1, None if high is None else high + 1):
            if rank:
                yield position, rank


def _bounds_of_rank(form: OperationForm, position: int) -> tuple[int, int | None] | None:
    """Return the bounds of an input's rank, if a model that breaks them is invalid."""
    formal = form.formals[position]
    rule = form.declaration.rule_index.get(f"{form.declaration.name}/ranks")
    in_model = Phase.MODEL in (formal.rank_phase, rule.phase if rule else None)
    return formal.rank if in_model else None


@check(_SUITE, "Ranks", rules=(*REFUSED_MODELS, "[A-Z]*/ranks", "[A-Z]*.rank"), parameters=_list_ranked)
def ranks(subject: Subject, form: OperationForm) -> None:
    """Ranks just outside of the bounds of an input are refused."""
    if required_level(model_of(form)) > subject.feature_level:
        raise unsupported(f"the operation is newer than feature level {subject.feature_level}", "model/level")
    ask_supported(subject, model_of(form))
    mutants = [
        Mutant(f"operand {position} has rank {rank}", model_of(form, {position: rank}))
        for position, rank in _list_wrong_ranks(form)
    ]
    try_questions(subject, [("rank", mutant) for mutant in mutants])
    require_form(subject, form)


def _build_changed(
    operation: hal.OperationType, kind: hal.OperandType, length: int, position: int, **changes: object
) -> hal.Model:
    """Return a form with all inputs of rank 2 and all dimensions known, and one operand changed."""
    form = next(
        form
        for form in all_forms()
        if form.declaration.type is operation and kind in form.inputs and len(form.inputs) == length
    )
    tensors = {index: 2 for index, operand in enumerate(model_of(form).main.operands) if operand.type == kind}
    model = model_of(form, tensors)
    operand = replace(model.main.operands[position], **changes)
    return replace(model, main=with_operand(model.main, position, operand))


_QUANT8 = _T.TENSOR_QUANT8_ASYMM
_O = hal.OperationType
_WRONG: dict[str, tuple[hal.OperationType, int, int, dict[str, object]]] = {
    "MUL_quant8_bad_output_scale": (_O.MUL, 3, 3, {"scale": 2.0**-16}),
    "PACK_quant8_bad_scale": (_O.PACK, 3, 2, {"scale": 0.5}),
    "PACK_quant8_bad_zeroPoint": (_O.PACK, 3, 2, {"zero_point": 7}),
    "PACK_quant8_rank_hi": (_O.PACK, 3, 3, {"dimensions": (1, 2, 1, 1)}),
    "PACK_quant8_rank_lo": (_O.PACK, 3, 3, {"dimensions": (2, 1)}),
    "REVERSE_quant8_bad_scale": (_O.REVERSE, 2, 2, {"scale": 0.5}),
    "REVERSE_quant8_bad_zeroPoint": (_O.REVERSE, 2, 2, {"zero_point": 7}),
    "REVERSE_quant8_rank_hi": (_O.REVERSE, 2, 2, {"dimensions": (1, 1, 1)}),
    "MIRROR_PAD_quant8_bad_scale": (_O.MIRROR_PAD, 3, 3, {"scale": 0.5}),
    "MIRROR_PAD_quant8_bad_zeroPoint": (_O.MIRROR_PAD, 3, 3, {"zero_point": 7}),
}
"""Agreements between operands beyond their types: operation, number of inputs, operand to change, and the change."""


@check(
    _SUITE,
    "Agreement",
    rules=(*REFUSED_MODELS, "[A-Z]*/quantization", "[A-Z]*/output.rank", "[A-Z]*/output.scale"),
    parameters=lambda: _WRONG,
)
def agreement(subject: Subject, wrong: tuple[hal.OperationType, int, int, dict[str, object]]) -> None:
    """Operands whose quantisation or rank does not agree with that of the others are refused."""
    operation, length, position, changes = wrong
    right = _build_changed(operation, _QUANT8, length, position)
    if required_level(right) > subject.feature_level:
        raise unsupported(f"{operation.name} is newer than feature level {subject.feature_level}", "model/level")
    ask_supported(subject, right)
    mutant = Mutant(
        f"operand {position} has {changes}", _build_changed(operation, _QUANT8, length, position, **changes)
    )
    try_question(subject, mutant, step="agreement")
    require_model(subject, (_SUITE, operation), lambda: right, f"a valid {operation.name}")


_PARAMS_SUITE = "TestOperandExtraParams"
_LEVEL = 3
"""First feature level (HAL 1.2) with per-channel scales."""
_PER_CHANNEL = hal.OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL
"""The type with a scale for each channel."""
_PARAMS = hal.SymmPerChannelQuantParams((0.5, 1.0, 1.5, 2.0), 3)
"""Valid scales, one for each index of dimension 3."""
_CHANNELS = hal.Operand(_PER_CHANNEL, (1, 2, 3, 4), lifetime=hal.OperandLifeTime.SUBGRAPH_INPUT, extra_params=_PARAMS)
"""The only type of operand that has such scales."""


def _build_dequantization(operand: hal.Operand, *unused: hal.Operand) -> hal.Model:
    """Return DEQUANTIZE of an operand; unused inputs are legal, whatever their type."""
    result = hal.Operand(hal.OperandType.TENSOR_FLOAT32, (1, 2, 3, 4), lifetime=hal.OperandLifeTime.SUBGRAPH_OUTPUT)
    operands = (operand, result, *unused)
    inputs = (0, *range(2, len(operands)))
    return hal.Model(hal.Subgraph(operands, (hal.Operation(hal.OperationType.DEQUANTIZE, (0,), (1,)),), inputs, (1,)))


_WRONG_CHANNELS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "TestChannelQuantValuesBadDim": (
        {"extra_params": replace(_PARAMS, channel_dim=7)},
        {"extra_params": replace(_PARAMS, channel_dim=4)},
        {"extra_params": replace(_PARAMS, channel_dim=-1)},
    ),
    "TestChannelQuantValuesBadScalesCount": (
        {"extra_params": replace(_PARAMS, scales=(1.0,) * 3)},
        {"extra_params": replace(_PARAMS, scales=(1.0,) * 10)},
    ),
    "TestChannelQuantValuesBadScalesNegative": (
        {"extra_params": replace(_PARAMS, scales=(1.0, 1.0, -1.0, 1.0))},
        {"extra_params": replace(_PARAMS, scales=(1.0, 0.0, 1.0, 1.0))},
        {"extra_params": replace(_PARAMS, scales=(1.0, 1.0, 1.0, math.nan))},
    ),
    "TestChannelQuantValuesNullScales": ({"extra_params": replace(_PARAMS, scales=())}, {"extra_params": None}),
    "TestChannelQuantValuesOperandScale": ({"scale": 1.0},),
    "TestChannelQuantValuesOperandZeroPoint": ({"zero_point": 1},),
}
"""Changes of a valid operand of {1, 2, 3, 4} with four scales along dimension 3, by the name of the test."""


@check(_PARAMS_SUITE, "TestChannelQuant", rules=("prepare/valid",), level=_LEVEL)
def channel_quant(subject: Subject, _: None) -> None:
    """Per-channel scales are accepted for the type that needs them."""
    prepare_valid(subject, _build_dequantization(_CHANNELS))


@check(
    _PARAMS_SUITE,
    "TestNoExtraParams",
    rules=("model/operand.extra_params", *REFUSED_MODELS),
    level=_LEVEL,
    parameters=lambda: {
        info.type.name: info for info in TYPES if info.type not in (_PER_CHANNEL, hal.OperandType.SUBGRAPH)
    },
)
def no_extra_params(subject: Subject, info: Any) -> None:
    """Per-channel scales are refused for every other type."""
    prepare_valid(subject, _build_dequantization(_CHANNELS))
    other = with_type(_CHANNELS, info)
    if info.level <= subject.feature_level:
        ask_supported(subject, _build_dequantization(_CHANNELS, other))
    wrong = replace(other, extra_params=_PARAMS)
    try_mutants(
        subject,
        [(_PARAMS_SUITE, Mutant(f"{info.type.name} with scales of channels", _build_dequantization(_CHANNELS, wrong)))],
    )


@check(
    _PARAMS_SUITE,
    "TestChannelQuantValues",
    rules=("model/operand.*", *REFUSED_MODELS),
    level=_LEVEL,
    parameters=lambda: _WRONG_CHANNELS,
)
def channel_quant_values(subject: Subject, wrong: tuple[dict[str, Any], ...]) -> None:
    """Per-channel scales that do not fit the operand are refused."""
    prepare_valid(subject, _build_dequantization(_CHANNELS))
    mutants = [
        Mutant(f"operand with {changes}", _build_dequantization(replace(_CHANNELS, **changes))) for changes in wrong
    ]
    try_mutants(subject, [(_PARAMS_SUITE, mutant) for mutant in mutants])
