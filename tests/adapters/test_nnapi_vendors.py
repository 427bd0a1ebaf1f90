"""Legal peculiarities of vendors' libraries, which must pass, and similar errors, which must fail."""

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters import INEXPRESSIBLE, create_device, open_driver, prepare
from nnvet.conformance import check_driver
from nnvet.conformance.engine.target import Target
from nnvet.fuzz.findings import FuzzFinding
from nnvet.fuzz.model.form import encode_model, model_of_test
from nnvet.fuzz.model.harness import ModelInput
from nnvet.fuzz.model.mutating import mutate_model
from nnvet.fuzz.target import FuzzedDriver
from nnvet.graphs.builder import counting_loop, sum_of_two
from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError
from nnvet.hal.types import ExecutionConfig
from nnvet.reports.events import Verdict
from tests.adapters.conftest import PATIENCE_S
from tests.adapters.models import PAIR_BYTES, add_model, add_pool, add_request

CONTROL_FLOW = "OperationValidationTest/IF"


def verdicts(selector: str, *only: str) -> dict[str, tuple[Verdict, str]]:
    """Verdict and rule of each case, by the last part of its id."""
    results = check_driver(selector, only=only).log.results.values()
    return {result.case.rpartition("/")[2]: (result.verdict, result.rule) for result in results}


def test_a_branch_of_unknown_size_need_not_be_compiled(library: Path) -> None:
    """The library claims it and refuses the compilation, as one without a CPU does; what it knows is prepared."""
    found = verdicts(f"sl:{library}", f"{CONTROL_FLOW}/*", "OperationValidationTest/WHILE/unknown-known-*")
    assert found.pop("known-known-known") == (Verdict.PASS, "")
    assert len(found) >= 26
    assert set(found.values()) == {(Verdict.UNSUPPORTED, INEXPRESSIBLE)}


def test_a_claimed_branch_of_known_size_has_to_be_compiled(library: Path) -> None:
    """A library that refuses every compilation is at fault with the one, not with the other."""
    cases = (f"{CONTROL_FLOW}/known-known-known", f"{CONTROL_FLOW}/known-known-no_rank")
    found = verdicts(f"ndk:{library}#nnvet-unwilling", *cases)
    assert found["known-known-known"] == (Verdict.FAIL, "prepare/supported")
    assert found["known-known-no_rank"] == (Verdict.UNSUPPORTED, INEXPRESSIBLE)


def test_memory_is_the_clients_to_see_to(library: Path) -> None:
    """The library dies of memory that is closed, too short or without protection: it is given none."""
    found = verdicts(f"ndk:{library}", "MemoryTypeTest/InvalidPool/*")
    judged = {case for case, (verdict, _) in found.items() if verdict is Verdict.PASS}
    assert {case.removesuffix("_input").removesuffix("_output") for case in judged} >= {"pipe"}
    assert set(found.values()) == {(Verdict.PASS, ""), (Verdict.UNSUPPORTED, INEXPRESSIBLE)}
    # Without protection it may be, where nobody uses it.
    assert {case for case in judged if case.startswith(("no_", "too_", "offset_"))} <= {"no_protection_unused"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["ndk", "sl"])
def test_a_request_may_be_refused_by_its_event(library: Path, kind: str) -> None:
    """The call that launches takes it, and waiting for the event says BAD_DATA: the answer to the HAL's call."""
    with open_driver(f"{kind}:{library}#nnvet-late", timeout_s=PATIENCE_S) as driver:
        prepared = prepare(driver.device, add_model())
        with add_pool(1, 2, 3, 4) as pool:
            request = add_request(pool)
            short = replace(request.inputs[0], location=replace(request.inputs[0].location, length=PAIR_BYTES - 4))
            wrong = replace(request, inputs=(short, request.inputs[1]))
            with pytest.raises(HalError, match="INVALID_ARGUMENT: Event_wait returns BAD_DATA"):
                prepared.execute_fenced(wrong, (), ExecutionConfig(), NO_DEADLINE, NO_DEADLINE)
            with pytest.raises(HalError, match="INVALID_ARGUMENT: the execution returns BAD_DATA"):
                prepared.execute_synchronously(wrong, ExecutionConfig(), NO_DEADLINE)
    found = verdicts(f"{kind}:{library}#nnvet-late", "ValidationTest/Test/*", "TestValidation/Execution/*")
    assert Verdict.FAIL not in {verdict for verdict, _ in found.values()}
    assert Verdict.PASS in {verdict for verdict, _ in found.values()}


def test_an_activation_of_codes_may_be_any_number(library: Path) -> None:
    """An addition of floats with activation 999 has to fail; one of 8-bit codes may compute something."""
    found = verdicts(f"ndk:{library}", "MemoryDomainExecutionTest/FailedExecution/*_sync")
    assert found["TENSOR_FLOAT32_sync"] == (Verdict.PASS, "")
    assert found["TENSOR_QUANT8_ASYMM_sync"][0] is Verdict.UNSUPPORTED


@pytest.mark.parametrize("kind", ["ndk", "sl"])
def test_any_model_is_said_or_refused(library: Path, kind: str) -> None:
    """Mutated models, one after the other in this process, are no finding of the library, nor the adapter's end."""
    selector = f"{kind}:{library}"
    ask = ModelInput(FuzzedDriver(create_device(selector), Target(selector, in_process=True)))
    seeds = [
        encode_model(model_of_test(counting_loop(2))),
        encode_model(model_of_test(sum_of_two("sum", [[1.0, 2.0]], [[3.0, 4.0]], [[4.0, 6.0]]))),
    ]
    numbers, found = random.Random(11), []
    for number in range(400):
        data = numbers.choice(seeds)
        for turn in range(numbers.randint(1, 5)):
            data = mutate_model(data, 1 << 14, 100 * number + turn) or data
        try:
            ask(data)
        except FuzzFinding as finding:
            found.append(finding)
    assert found == []
