"""Operations that are put together against the oracle, on the specs of the corpus: every form that has steps.

Runs of one operation count here, so that no form is left out because of its neighbours.
"""

from pathlib import Path

import pytest

from nnvet.diagnostics import vlog
from nnvet.generators.specs import load_spec
from nnvet.hal.types import Model
from nnvet.reference_driver.compiled import CompiledModel, compile_model
from nnvet.reference_driver.fused import program
from nnvet.reference_driver.fused.program import STEPS
from tests.on_kernels import assert_agree, both

pytest.importorskip("numba", reason="operations are put together by numba, of the extra 'fast'")

CORPUS = Path(__file__).parents[2] / "conformance" / "specs"
FAMILIES = ("add", "avg_pool", "average_pool", "conv2d", "depthwise", "fully_connected", "lstm", "max_pool", "reshape")
FILES = {
    str(path.relative_to(CORPUS)): path
    for path in sorted(CORPUS.rglob("*.mod.py"))
    if path.name.startswith((*FAMILIES, "rnn", "softmax", "conv"))
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FILES)
def test_specs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes agree to the bit, floats within their rounding."""
    loop = program.load()
    assert loop is not None

    def compile_fused(model: Model) -> CompiledModel:
        compiled = compile_model(model)
        compiled.main.fused = program.Fusion(loop)
        return compiled

    vlog.init({})
    monkeypatch.setattr(program, "_SHORTEST", 1)
    monkeypatch.setattr("tests.on_kernels.compile_model", compile_fused)
    for case in load_spec(FILES[name]):
        test = case.build()
        if not case.expect_failure and any(operation.type in STEPS for operation in test.main.operations):
            assert_agree(*both(test), test.main.outputs)
