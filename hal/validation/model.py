"""Validation of models, and the feature level that they need (docs/contract/hal.md 7).

:func:`validate_model` is what drivers and the suite call. It checks pools, extensions and the references between
subgraphs itself; :mod:`nnvet.hal.validation.subgraph` and :mod:`nnvet.hal.validation.operands` check the parts.
Requests are checked in :mod:`nnvet.hal.validation.request`.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from functools import partial
from weakref import ref

import numpy as np

from nnvet.hal.enums import FeatureLevel, OperandLifeTime
from nnvet.hal.errors import HalError, errors_of, invalid
from nnvet.hal.levels import memory_level
from nnvet.hal.memory import memory_size
from nnvet.hal.operand_types import EXTENSION_NAME
from nnvet.hal.types import HardwareBuffer, MappableFile, Memory, Model, Subgraph
from nnvet.hal.validation.subgraph import broken_rules_of_subgraph, check_subgraph

_MAX_PREFIX = 0xFFFF
"""Largest prefix that fits into the 16 high bits of a code."""
_LEVELS = {int(level): level for level in FeatureLevel}
"""Levels by number: looking up a member of an enumeration takes longer."""


def validate_model(model: Model, level: FeatureLevel = FeatureLevel.FL8) -> FeatureLevel:
    """Check a model for a driver of ``level``; returns the level that the model needs.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    needed = required_level(model)
    if needed > level:
        raise invalid(f"the model needs feature level {needed}, the driver has {level}", "model/level")
    return needed


@np.errstate(all="ignore")
def broken_rules(model: Model) -> list[HalError]:
    """Return the errors of all rules that a model breaks, and none for a valid model.

    Each part of the model is checked by itself. Only the first broken rule of an operation, an order or a list is
    found, and levels are not checked.
    """
    return list(_find_broken_rules(model))


def required_level(model: Model) -> FeatureLevel:
    """Return the feature level that a valid model needs.

    :raises HalError: INVALID_ARGUMENT with the first broken rule.
    """
    level = 1
    for index, pool in enumerate(model.pools):
        level = max(level, check_memory(pool, f"pool {index}", "model/pool.valid"))
    outcome = _find_outcome(model)
    if isinstance(outcome, HalError):
        # A new error each time, because raising it stores a traceback in it.
        raise HalError(outcome.status, outcome.message, outcome.rule)
    return _LEVELS[max(level, outcome)]


class _Last:
    """Cache of the last validation: the model's parts that decide it, and its outcome (a level or a broken rule)."""

    known: tuple[Callable[[], Model | None], object, int | HalError] | None = None


def _find_outcome(model: Model) -> int | HalError:
    """Return the level that a model needs, or its broken rule, from the cache if an equal model was the last one."""
    # Read the cache once: another thread may replace it at any time.
    known = _Last.known
    if known is not None and known[0]() is model:
        return known[2]
    # The key holds everything that the rules look at, so no values of constants. A driver sees each model twice, in
    # get_supported_operations and in prepare_model; behind a wire these are two equal objects, not the same one.
    sizes = [memory_size(pool) for pool in model.pools]
    looked_at = (model.main, model.referenced, model.extension_name_to_prefix, len(model.operand_values), sizes)
    outcome = known[2] if known is not None and known[1] == looked_at else _validate(model)
    _Last.known = ref(model), looked_at, outcome
    return outcome


def _validate(model: Model) -> int | HalError:
    """Return the level that a model needs, or the error of its first broken rule."""
    try:
        return _check_graphs(model)
    except HalError as error:
        # The error without frames and previous errors, which would keep objects alive.
        return HalError(error.status, error.message, error.rule)


@np.errstate(all="ignore")
def _check_graphs(model: Model) -> int:
    level = max(_check_extensions(model), 4 if model.referenced else 1)
    _check_cycles(model)
    for index, subgraph in enumerate(model.referenced):
        level = max(level, check_subgraph(subgraph, model, f"subgraph {index}"))
    return max(level, check_subgraph(model.main, model, "main subgraph"))


def _find_broken_rules(model: Model) -> Iterator[HalError]:
    checks: list[Callable[[], object]] = [
        partial(check_memory, pool, f"pool {index}", "model/pool.valid") for index, pool in enumerate(model.pools)
    ]
    yield from errors_of((*checks, partial(_check_extensions, model), partial(_check_cycles, model)))
    for index, subgraph in enumerate(model.referenced):
        yield from broken_rules_of_subgraph(subgraph, model, f"subgraph {index}")
    yield from broken_rules_of_subgraph(model.main, model, "main subgraph")


def check_memory(memory: Memory, where: str, rule: str) -> int:
    """Check a memory pool's description (docs/contract/hal.md 9); returns the level it needs.

    :raises HalError: INVALID_ARGUMENT with ``rule``.
    """
    if memory.handle.fd < 0:
        raise invalid(f"{where} has no valid descriptor", rule)
    if isinstance(memory, HardwareBuffer):
        return memory_level(memory)
    if memory_size(memory) <= 0:
        raise invalid(f"{where} has size {memory_size(memory)}", rule)
    if isinstance(memory, MappableFile):
        if memory.prot & ~(mmap.PROT_READ | mmap.PROT_WRITE):
            raise invalid(f"{where} has protection {memory.prot:#x}", rule)
        if memory.offset < 0:
            raise invalid(f"{where} has offset {memory.offset}", rule)
    return memory_level(memory)


def _check_extensions(model: Model) -> int:
    entries = model.extension_name_to_prefix
    if not entries:
        return 1
    for entry in entries:
        if not EXTENSION_NAME.fullmatch(entry.name):
            raise invalid(f"extension name {entry.name!r}", "model/extension.name")
    names, prefixes = {entry.name for entry in entries}, {entry.prefix for entry in entries}
    if len(names) != len(entries) or len(prefixes) != len(entries):
        raise invalid("two extensions have the same name or prefix", "model/extension.unique")
    if any(not 0 <= prefix <= _MAX_PREFIX for prefix in prefixes):
        raise invalid("an extension prefix does not fit in 16 bits", "model/extension.unique")
    return 3


def _check_cycles(model: Model) -> None:
    for _ in inner_first(model):
        pass


def inner_first(model: Model) -> Iterator[int]:
    """Yield the indexes of the referenced subgraphs, each once, after those to which it refers.

    :raises HalError: INVALID_ARGUMENT if a subgraph refers to itself, or to one that does not exist.
    """
    # Depth first without recursion, so that a long chain of subgraphs cannot exhaust the stack.
    done: set[int] = set()
    path: set[int] = set()
    stack = [(start, False) for start in reversed(range(len(model.referenced)))]
    while stack:
        index, leaving = stack.pop()
        if leaving:
            path.remove(index)
            done.add(index)
            yield index
            continue
        if index in path:
            raise invalid(f"subgraph {index} refers to itself", "model/subgraph.cycle")
        if index in done:
            continue
        path.add(index)
        stack.append((index, True))
        stack.extend((child, False) for child in _list_children(model, model.referenced[index]))


def _list_children(model: Model, subgraph: Subgraph) -> list[int]:
    """Return the indexes of the subgraphs to which a subgraph refers."""
    children = [o.location.offset for o in subgraph.operands if o.lifetime == OperandLifeTime.SUBGRAPH]
    if any(not 0 <= child < len(model.referenced) for child in children):
        raise invalid("a subgraph refers to one that does not exist", "model/subgraph.reference")
    return children
