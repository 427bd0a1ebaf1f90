"""Choice of mutants to send: all that the driver must refuse, or some of every kind, always the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Protocol, TypeVar
from zlib import crc32

from nnvet.generators.mutations.editing import Mutant, Mutation
from nnvet.hal.errors import HalError
from nnvet.hal.types import FeatureLevel, Model
from nnvet.hal.validation import validate_model


class _Described(Protocol):
    @property
    def description(self) -> str: ...


T = TypeVar("T", bound=_Described)


def mutants_of(mutations: Mapping[str, Mutation], model: Model, level: int) -> dict[str, list[Mutant]]:
    """All mutants by the name of their mutation."""
    return {name: list(mutate(model, level)) for name, mutate in mutations.items()}


def refused_at(level: FeatureLevel, mutants: Mapping[str, Sequence[Mutant]]) -> dict[str, list[Mutant]]:
    """The mutants that are invalid at a level too: a driver of it that is tested as an older one must refuse them.

    An operand of unknown rank, for example, is wrong at the first two levels only, and a model does not say for
    which level it is meant.
    """
    return {name: [mutant for mutant in some if is_refused(mutant.model, level)] for name, some in mutants.items()}


def is_refused(model: Model, level: FeatureLevel) -> bool:
    """Return True if a model is invalid at a level."""
    try:
        validate_model(model, level)
    except HalError:
        return True
    return False


def sample(mutants: Mapping[str, Sequence[T]], limit: int | None, key: str) -> list[tuple[str, T]]:
    """At most ``limit`` mutants (None: all) with their mutation's name, kinds in turn; another ``key``, another choice.

    Models that differ in a detail have names that differ, so that together they see more than one of them does.
    """

    def shuffled(name: str) -> Iterator[tuple[str, T]]:
        order = sorted(mutants[name], key=lambda mutant: crc32(f"{key} {mutant.description}".encode()))
        return ((name, mutant) for mutant in order)

    rounds = chain.from_iterable(zip_longest(*(shuffled(name) for name in mutants)))
    return list(islice((mutant for mutant in rounds if mutant is not None), limit))
