"""Cuts a model: every operation, and every connected group of two or three that can stand alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from nnvet.generators.graphs.model import TestSubgraph

Group = tuple[int, ...]
"""Positions of operations, ascending."""


class Dependencies:
    """Data dependencies between the operations of a subgraph. Sets of operations are bits of integers."""

    def __init__(self, graph: TestSubgraph) -> None:
        """Look at all operations, which are in the order of execution."""
        makers = {index: position for position, operation in enumerate(graph.operations) for index in operation.outputs}
        self.count = len(graph.operations)
        self.sources = [
            frozenset(makers[index] for index in operation.inputs if index in makers) for operation in graph.operations
        ]

    @cached_property
    def neighbours(self) -> list[set[int]]:
        """By operation, those that it reads of and those that read of it."""
        found: list[set[int]] = [set() for _ in range(self.count)]
        for reader, makers in enumerate(self.sources):
            for maker in makers:
                found[reader].add(maker)
                found[maker].add(reader)
        return found

    @cached_property
    def before(self) -> list[int]:
        """By operation, all that have to be executed before it."""
        found: list[int] = []
        for makers in self.sources:
            bits = 0
            for maker in makers:
                bits |= found[maker] | 1 << maker
            found.append(bits)
        return found

    def groups(self, most: int) -> Iterator[Group]:
        """Every connected group of up to ``most`` operations that needs nothing computed of its own results outside."""
        level: set[Group] = {(position,) for position in range(self.count)}
        for _ in range(most):
            yield from sorted(group for group in level if self._is_whole(group))
            level = {
                tuple(sorted((*group, more)))
                for group in level
                for position in group
                for more in self.neighbours[position]
                if more not in group
            }

    def _is_whole(self, group: Group) -> bool:
        """Return True if no other operation reads of the group and is read by it, directly or through others."""
        inside = sum(1 << position for position in group)
        outside = 0
        for position in group:
            outside |= self.before[position]
        outside &= ~inside
        return not any(outside >> other & 1 and self.before[other] & inside for other in range(group[0], group[-1]))
