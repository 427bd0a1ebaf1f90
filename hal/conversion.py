"""The form that a model has at the levels of AIDL, which do not count consumers. Source: docs/contract/hal.md 5."""

from __future__ import annotations

from msgspec.structs import replace

from nnvet.hal.types import Model, Subgraph


def without_consumers(model: Model) -> Model:
    """Copy without numbers of consumers, which no AIDL level has."""

    def stripped(subgraph: Subgraph) -> Subgraph:
        return replace(
            subgraph, operands=tuple(replace(operand, number_of_consumers=None) for operand in subgraph.operands)
        )

    return replace(model, main=stripped(model.main), referenced=tuple(map(stripped, model.referenced)))
