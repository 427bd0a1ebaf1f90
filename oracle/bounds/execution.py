"""Estimation of a model's outputs: its operations run one after the other in float64, each by its rule.

:func:`estimate` is the entry point; :mod:`nnvet.oracle.execution` computes values in the same way, without bounds.
Nothing is checked: the caller guarantees that the model is valid and can be executed with these inputs. :data:`RULES`
collects the rules of all operations from the modules of ``families``; extensions may bring rules of their own.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, lru_cache
from typing import Final, TypeAlias, cast

import numpy as np

from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.extensions import brought, with_known_extensions
from nnvet.hal.memory import mapped
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.catalogue import operation_name
from nnvet.hal.types import Model, Operation, Subgraph
from nnvet.oracle.bounds import families
from nnvet.oracle.bounds.compare import relaxes, widened
from nnvet.oracle.bounds.following import BY_MEANING
from nnvet.oracle.bounds.liberties import GRANTED, granted, narrowed
from nnvet.oracle.bounds.precision import Estimate, given, precision_of
from nnvet.oracle.bounds.rule import BoundRule, EstimatedCall
from nnvet.oracle.execution import constant, declared, declared_outputs
from nnvet.oracle.operations.catalogue import meanings
from nnvet.oracle.operations.invocation import Array, Invocation, OperandValue

RULES: Final[Mapping[OperationType, BoundRule]] = {
    operation: rule
    for module in pkgutil.iter_modules(families.__path__)
    for operation, rule in importlib.import_module(f"{families.__name__}.{module.name}").RULES.items()
}
"""The rule of each operation of the contract: how errors spread through it, and what error it adds."""


@cache
def _rules() -> Mapping[int, tuple[OperationType, str, BoundRule]]:
    """Return code, name and rule of all operations, by code.

    An operation of an extension that brings no rule gets one that follows from its meaning.

    The names are kept, since looking up the name of an enumeration's member takes as long as a small operation.
    """
    given = brought("bounds")
    others = {cast("OperationType", code): given.get(code, BY_MEANING) for code in brought("meanings")}
    return {int(code): (code, operation_name(code), rule) for code, rule in (*RULES.items(), *others.items())}


Operand: TypeAlias = tuple[OperandValue, Estimate | None]
"""Pair of an operand with its ideal value, and its estimate; the estimate is None if the operand has no value."""
# Looking up a member of an enumeration takes longer than most operations on it.
_COPY: Final = OperandLifeTime.CONSTANT_COPY
_SUBGRAPH: Final = OperandType.SUBGRAPH


def estimate(
    model: Model, inputs: Sequence[Array | None], *, contract: bool = False, liberties: Collection[str] = ()
) -> list[Estimate]:
    """Return estimates of the main subgraph's outputs.

    ``inputs`` have the element types and the shapes of the main subgraph's inputs, None where one is omitted.
    With ``contract`` the errors are those that the contract allows (:mod:`nnvet.oracle.bounds.compare`); otherwise they
    are tight, and allow the ``liberties`` of these ids (:mod:`nnvet.oracle.bounds.liberties`).

    :raises KeyError: an operation has no rule: it belongs to an extension that brings no meaning of it.
    :raises HalError: a pool of constants cannot be mapped.
    """
    model = with_known_extensions(model)
    with ExitStack() as stack, np.errstate(all="ignore"):
        pools = [stack.enter_context(mapped(pool, writable=False)) for pool in model.pools]
        execution = _Execution(model, pools, GRANTED if contract else liberties, contract=contract)
        operands = [declared(model.main.operands[index]) for index in model.main.input_indexes]
        values = [execution.given(operand.with_array(array)) for operand, array in zip(operands, inputs, strict=True)]
        return [_require_value(result) for result in execution.run(model.main, values)]


@contextmanager
def only_call(model: Model, inputs: Sequence[Array | None]) -> Iterator[EstimatedCall | None]:
    """Yield the only operation of a model with its operands; None for models with more, or if it has no rule.

    ``inputs`` are those of :func:`estimate`. The operands are valid only within the block.

    :raises HalError: a pool of constants cannot be mapped.
    """
    model = with_known_extensions(model)
    with ExitStack() as stack, np.errstate(all="ignore"):
        if len(model.main.operations) != 1 or int(model.main.operations[0].type) not in _rules():
            yield None
            return
        pools = [stack.enter_context(mapped(pool, writable=False)) for pool in model.pools]
        execution = _Execution(model, pools, (), contract=False)
        operands = [declared(model.main.operands[index]) for index in model.main.input_indexes]
        values = [execution.given(operand.with_array(array)) for operand, array in zip(operands, inputs, strict=True)]
        live = dict(zip(model.main.input_indexes, values, strict=True))
        yield execution.call(model.main, model.main.operations[0], live)


def _require_value(result: Estimate | None) -> Estimate:
    """Return an output's estimate; raise ValueError if the output has no value."""
    if result is None:
        raise ValueError("an output has no value: nothing writes it")
    return result


class _Execution:
    """One estimation of a model: it runs the subgraphs, and keeps the estimates of constants."""

    def __init__(
        self, model: Model, pools: Sequence[memoryview], liberties: Collection[str], *, contract: bool
    ) -> None:
        self.model, self.pools, self.liberties, self.contract = model, pools, liberties, contract
        self._tolerance_is_wide = contract and relaxes(model)
        self._constants: dict[tuple[int, int], Operand] = {}

    def given(self, value: OperandValue) -> Estimate | None:
        """Return the estimate of a constant of the model, or of an input."""
        return given(value, precision_of(value.type, relaxed=self.model.relax_computation_float32_to_float16))

    def run(self, subgraph: Subgraph, inputs: Sequence[Estimate | None]) -> list[Estimate | None]:
        """Return the estimates of a subgraph's outputs."""
        live = dict(zip(subgraph.input_indexes, inputs, strict=True))
        for operation in subgraph.operations:
            live.update(zip(operation.outputs, self._outputs(subgraph, operation, live), strict=False))
        return [live[index] for index in subgraph.output_indexes]

    def _outputs(
        self, subgraph: Subgraph, operation: Operation, live: Mapping[int, Estimate | None]
    ) -> Sequence[Estimate]:
        """Return the estimates of an operation's outputs, with the errors of liberties and, if wanted, the contract."""
        rule, call = _rules()[operation.type][2], self.call(subgraph, operation, live)
        if self.liberties:
            call = narrowed(call, self.liberties)
        found = rule.estimate(call)
        if self.liberties:
            found = granted(call, found, self.liberties, contract=self.contract)
        return widened(call, rule, found, relaxed=self._tolerance_is_wide) if self.contract else found

    def call(self, subgraph: Subgraph, operation: Operation, live: Mapping[int, Estimate | None]) -> EstimatedCall:
        """Return an operation with its operands; ``live`` has the operands that are not constants."""
        kind, name, _ = _rules()[operation.type]
        operands = [self._operand(subgraph, index, live) for index in operation.inputs]
        outputs = [declared(subgraph.operands[index]) for index in operation.outputs]
        parameters = Invocation(name, [operand for operand, _ in operands], outputs, _refuse_subgraph)
        outputs = list(declared_outputs(parameters))
        relaxed = self.model.relax_computation_float32_to_float16
        return EstimatedCall(
            kind,
            meanings()[kind],
            parameters,
            [found for _, found in operands],
            outputs,
            precision_of(next((given.type for given in outputs if given.is_float), outputs[0].type), relaxed=relaxed),
            lambda index, values: [_require_value(result) for result in self.run(self.model.referenced[index], values)],
        )

    def _operand(self, subgraph: Subgraph, index: int, live: Mapping[int, Estimate | None]) -> Operand:
        """Return an operand with its ideal value, and its estimate."""
        if index in live:
            found = live[index]
            if found is None:
                return declared(subgraph.operands[index]), None
            return found.as_operand, found.as_input
        key = id(subgraph), index
        # Constants are cached, because loops read them repeatedly.
        if key not in self._constants:
            self._constants[key] = self._constant(subgraph, index)
        return self._constants[key]

    def _constant(self, subgraph: Subgraph, index: int) -> Operand:
        operand = subgraph.operands[index]
        if operand.lifetime == _COPY and not type_info(operand.type).is_tensor:
            location = operand.location
            content = self.model.operand_values[location.offset : location.offset + location.length]
            return _estimate_scalar(operand.type, bytes(content), self.model.relax_computation_float32_to_float16)
        value = constant(self.model, self.pools, operand)
        found = self.given(value)
        return value if value.type == _SUBGRAPH or found is None else found.as_operand, found


@lru_cache(1 << 12)
def _estimate_scalar(kind: int, content: bytes, relaxed: bool) -> Operand:  # noqa: FBT001 - a key of the cache
    """Return a scalar constant. It keeps its type, since drivers take parameters as they are. Few values are common."""
    value = OperandValue(kind, np.frombuffer(content, type_info(kind).dtype).reshape(()))
    return value, given(value, precision_of(kind, relaxed=relaxed))


def _refuse_subgraph(_index: int, _values: Sequence[OperandValue]) -> list[OperandValue]:
    """Raise ValueError: only parameters are read from the invocation, so nobody computes a subgraph by it."""
    raise ValueError("subgraphs are estimated, not computed")
