"""What the HAL can say and the C API cannot: refused here, with a rule that is no verdict on the library.

Everything else, valid or not, is passed on, and the library itself decides. docs/drivers.md has a table for readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from nnvet.adapters.selector import INEXPRESSIBLE
from nnvet.hal.enums import OperandLifeTime
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.types import Model, Request, Subgraph
from nnvet.hal.validation import validate_model
from nnvet.hal.validation.request import validate_request

MODEL_RULES: Final = {
    "model/extension.name": "names stand with the types that are used; the library chooses the prefixes",
    "model/extension.unique": "names stand with the types that are used; the library chooses the prefixes",
    "model/operand.consumers": "consumers are not given",
    "model/operand.lifetime": "lifetimes follow from the calls that are made",
    "model/operand.location.padding": "constants have no padding",
    "model/operand.location.unused": "operands without data have no location",
    "model/operand.location.values": "constants are pointers, not places in a buffer",
    "model/order.read_before_write": "operations have no order; the library sorts them",
    "model/pool.valid": "a bad descriptor is refused before there is a model, with OP_FAILED",
    "model/subgraph.cycle": "a model refers to finished ones only",
    "model/subgraph.reference": "a model refers to existing ones only",
}
"""Rules of models that no client of the C API can break, or not so that it is seen, and why."""

REQUEST_RULES: Final = {
    "request/no_value": "an argument without value has no location",
    "request/pool.index": "memories are objects, not numbers",
    "request/pool.token": "memories are objects, not numbers",
    "request/pool.valid": "a bad descriptor is refused before there is an execution, with OP_FAILED",
}
"""Rules of requests, likewise."""

_LISTED: Final = (
    OperandLifeTime.TEMPORARY_VARIABLE,
    OperandLifeTime.SUBGRAPH_INPUT,
    OperandLifeTime.SUBGRAPH_OUTPUT,
)


def check_model(model: Model) -> None:
    """Refuse a model that cannot be said.

    :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible``.
    """
    _check(MODEL_RULES, lambda: validate_model(model))
    for subgraph in (model.main, *model.referenced):
        if not subgraph.input_indexes:
            refuse("a model without inputs")
        _check_lifetimes(subgraph)


def check_request(request: Request, model: Model, *, unspecified_outputs: bool) -> None:
    """Refuse a request that cannot be said; raises as :func:`check_model`."""
    _check(REQUEST_RULES, lambda: validate_request(request, model, unspecified_outputs=unspecified_outputs))


def refuse(what: str) -> NoReturn:
    """Say that the C API has no words for something.

    :raises HalError: INVALID_ARGUMENT with the rule ``adapter/inexpressible``.
    """
    raise invalid(f"the C API cannot express {what}", INEXPRESSIBLE)


def _check(rules: Mapping[str, str], validate: Callable[[], object]) -> None:
    try:
        validate()
    except HalError as error:
        if error.rule in rules:
            raise invalid(f"{error.message} ({error.rule}): {rules[error.rule]}", INEXPRESSIBLE) from error


def _check_lifetimes(subgraph: Subgraph) -> None:
    """Whether the lists of inputs and outputs say the same as the lifetimes: the C API has the lists alone."""
    listed = dict.fromkeys(subgraph.input_indexes, OperandLifeTime.SUBGRAPH_INPUT)
    listed |= dict.fromkeys(subgraph.output_indexes, OperandLifeTime.SUBGRAPH_OUTPUT)
    for index, operand in enumerate(subgraph.operands):
        meant = listed.get(index, OperandLifeTime.TEMPORARY_VARIABLE)
        if operand.lifetime in _LISTED and operand.lifetime != meant:
            refuse(f"lifetime {operand.lifetime} of operand {index}, which the lists make {meant.name}")
