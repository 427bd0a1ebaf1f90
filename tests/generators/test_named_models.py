"""The random models that have names stay what they are, byte for byte: the recorded digests say so.

A generator that changes them on purpose needs new digests: ``python -m tests.generators.test_named_models``.
"""

import hashlib
import json
from pathlib import Path

import pytest

from nnvet.generators.random_graphs.named import GRAPH_TESTS, SEEDS, GraphTest, SingleTest, single_tests
from nnvet.graphs.model import TestModel, TestOperand

RECORDED = Path(__file__).with_name("named_models.json")
NAMED = {test.operation: test for test in single_tests()} | {graph.name: graph for graph in GRAPH_TESTS}
DIGITS = 16


def sampled_seeds(name: str) -> tuple[int, ...]:
    """The first seed, and one that differs from test to test."""
    return 0, 1 + int(hashlib.sha256(name.encode()).hexdigest(), 16) % (len(SEEDS) - 1)


def digest(test: SingleTest | GraphTest, name: str) -> str:
    """The sampled models of a test, in brief."""
    whole = hashlib.sha256()
    for seed in sampled_seeds(name):
        whole.update("\n".join(serialised(test.make(seed))).encode())
    return whole.hexdigest()[:DIGITS]


def serialised(model: TestModel) -> list[str]:
    """All that a model is, in lines that no version of Python or NumPy writes differently."""
    lines = [f"{model.name} level {model.min_supported_version} relaxed {model.is_relaxed}"]
    for graph in model.subgraphs:
        lines += [
            *map(_operand, graph.operands),
            *(
                f"operation {int(operation.type)} {operation.inputs} {operation.outputs}"
                for operation in graph.operations
            ),
            f"{graph.input_indexes} {graph.output_indexes}",
        ]
    if model.expected_multinomial_distribution_tolerance:
        lines.append(f"tolerance {model.expected_multinomial_distribution_tolerance.hex()}")
    return lines


def _operand(operand: TestOperand) -> str:
    by_channel = operand.channel_quant
    scales = "" if by_channel is None else f" {by_channel.channel_dim} {[scale.hex() for scale in by_channel.scales]}"
    data = "none" if operand.data is None else f"{operand.data.dtype} {operand.data.tobytes().hex()}"
    kind = f"{int(operand.type)} {operand.dimensions} {float(operand.scale).hex()} {operand.zero_point}"
    return f"operand {kind} {int(operand.lifetime)} {operand.is_ignored} {data}{scales}"


@pytest.mark.parametrize("name", NAMED)
def test_named_models_stay_what_they_are(name: str) -> None:
    """Two seeds of each of the 211 tests give the models that are recorded."""
    assert digest(NAMED[name], name) == json.loads(RECORDED.read_text())[name]


def test_every_named_test_is_recorded() -> None:
    """None is added, dropped or renamed without notice."""
    assert list(NAMED) == list(json.loads(RECORDED.read_text()))
    assert len(NAMED) == 179 + 32


if __name__ == "__main__":
    RECORDED.write_text(json.dumps({name: digest(test, name) for name, test in NAMED.items()}, indent=0) + "\n")
