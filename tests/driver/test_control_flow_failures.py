"""Control flow that cannot go on: a loop without end, and a condition without value."""

import pytest

from nnvet.adapters import prepare
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.generators.specs import load_spec
from nnvet.graphs.hal_model import build_model, close_pools, pack_request
from nnvet.hal.errors import HalError
from nnvet.hal.types import NO_DEADLINE, ErrorStatus, ExecutionConfig
from nnvet.reference_driver import create


@pytest.mark.parametrize(
    ("spec", "rule", "status"),
    [
        ("while_without_end", "WHILE/timeout", ErrorStatus.MISSED_DEADLINE_TRANSIENT),
        ("if_condition_without_value", "IF/condition", ErrorStatus.GENERAL_FAILURE),
    ],
)
def test_execution_fails_with_its_rule(spec: str, rule: str, status: ErrorStatus) -> None:
    """The execution ends with the status and rule of the operation's page."""
    test = load_spec(BUNDLED_SPECS / "V1_3" / f"{spec}.mod.py")[0].build()
    model, packed = build_model(test), pack_request(test)
    config = ExecutionConfig(loop_timeout_duration_ns=1_000_000)
    try:
        prepared = prepare(create(""), model)
        with pytest.raises(HalError) as caught:
            prepared.execute_synchronously(packed.request, config, NO_DEADLINE)
    finally:
        close_pools(model)
        packed.close()
    assert (caught.value.rule, caught.value.status) == (rule, status)
