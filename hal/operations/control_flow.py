"""IF and WHILE: operations that run subgraphs.

Their rules look at whole subgraphs, so :mod:`nnvet.hal.validation.subgraph` checks them; the driver's executor
runs them. Source: docs/contract/hal.md 7.4, their pages in docs/contract/operations.
"""

from __future__ import annotations

from nnvet.hal.enums import ErrorStatus, OperandType, OperationType
from nnvet.hal.operations.declaration import (
    ANY_TYPE,
    Call,
    Formal,
    OperationDeclaration,
    OutputSpec,
    Phase,
    Rule,
    Signature,
    rows,
)


def _decided_by_subgraphs(call: Call) -> tuple[OutputSpec, ...]:
    return tuple(OutputSpec(None) for _ in call.outputs)


def _model_rule(identifier: str, sentence: str) -> Rule:
    return Rule(identifier, sentence, None, Phase.MODEL, ErrorStatus.INVALID_ARGUMENT)


def _subgraph(name: str, meaning: str) -> Formal:
    return Formal(name, OperandType.SUBGRAPH, meaning)


_OUTPUTS = (Formal("outputs", ANY_TYPE, "results", variadic=True),)

IF = OperationDeclaration(
    type=OperationType.IF,
    summary="runs one of two subgraphs",
    rows=rows((4, {})),
    signatures=(
        Signature(
            "branches",
            (
                Formal("condition", OperandType.TENSOR_BOOL8, "not 0: the first branch is taken", omissible=True),
                _subgraph("then", "branch taken when the condition is true"),
                _subgraph("else", "branch taken when the condition is false"),
                Formal("inputs", ANY_TYPE, "passed to the branch", variadic=True, minimum=0, omissible=True),
            ),
        ),
    ),
    outputs=_OUTPUTS,
    infer=_decided_by_subgraphs,
    rules=(
        _model_rule("IF/condition.shape", "The condition has dimensions [1]."),
        _model_rule("IF/branch.inputs", "Each branch takes the inputs after the two subgraphs, compatible one by one."),
        _model_rule("IF/branch.outputs", "Each branch yields the operation's outputs, compatible one by one."),
        Rule("IF/condition", "The condition has a single value when it is needed."),
    ),
)
WHILE = OperationDeclaration(
    type=OperationType.WHILE,
    summary="runs a subgraph as long as another one yields true",
    rows=rows((4, {})),
    signatures=(
        Signature(
            "loop",
            (
                _subgraph("condition", "yields one TENSOR_BOOL8 of dimensions [1]"),
                _subgraph("body", "computes the next values"),
                Formal(
                    "inputs",
                    ANY_TYPE,
                    "input-output, then state-only, then input-only operands",
                    variadic=True,
                    omissible=True,
                ),
            ),
        ),
    ),
    outputs=_OUTPUTS,
    infer=_decided_by_subgraphs,
    rules=(
        _model_rule("WHILE/condition.inputs", "The condition subgraph takes all loop operands, compatible one by one."),
        _model_rule("WHILE/condition.output", "The condition subgraph yields one TENSOR_BOOL8 of dimensions [1]."),
        _model_rule("WHILE/body.inputs", "The body takes all loop operands, compatible one by one."),
        _model_rule("WHILE/body.outputs", "The body yields the next input-output and state-only operands, compatible."),
        _model_rule("WHILE/outputs", "The operation's outputs are compatible with the first outputs of the body."),
        _model_rule("WHILE/known_sizes", "All operands that cross the loop's boundary have known sizes."),
        Rule(
            "WHILE/timeout",
            "A loop that runs longer than the loop timeout is aborted.",
            status=ErrorStatus.MISSED_DEADLINE_TRANSIENT,
        ),
    ),
)
