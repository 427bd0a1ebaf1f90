"""Which mutants of a large model to send: some of every kind, always the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Protocol, TypeVar
from zlib import crc32

from conformance.mutations.editing import Mutant, Mutation
from hal.types import Model


class _Described(Protocol):
    @property
    def description(self) -> str: ...


T = TypeVar("T", bound=_Described)


def mutants_of(mutations: Mapping[str, Mutation], model: Model, level: int) -> dict[str, list[Mutant]]:
    """All mutants by the name of their mutation."""
    return {name: list(mutate(model, level)) for name, mutate in mutations.items()}


def sample(mutants: Mapping[str, Sequence[T]], limit: int, key: str) -> list[tuple[str, T]]:
    """At most ``limit`` mutants with their mutation's name, kinds in turn; another ``key``, another choice.

    Models that differ in a detail have names that differ, so that together they see nearly all mutants.
    """

    def shuffled(name: str) -> Iterator[tuple[str, T]]:
        order = sorted(mutants[name], key=lambda mutant: crc32(f"{key} {mutant.description}".encode()))
        return ((name, mutant) for mutant in order)

    rounds = chain.from_iterable(zip_longest(*(shuffled(name) for name in mutants)))
    return list(islice((one for one in rounds if one is not None), limit))
