"""Parallel load that nobody disturbs: threads in one process, and in many (docs/contract/crash-tests.md 6)."""

from __future__ import annotations

from nnvet.conformance.stress.catalogue import stress_test
from nnvet.conformance.stress.run import StressRun


@stress_test("ParallelInference/InProcess", "Threads of the test's own process execute models by every method.", 10.0)
def in_process(run: StressRun, load_s: float) -> None:
    """MLTS: NNParallelInProcessInferenceTest."""
    with run.phase("inference", load_s):
        run.threads("inference", load_s)


@stress_test("ParallelInference/SeparateProcess", "The same threads in a process of their own.", 10.0)
def separate_process(run: StressRun, load_s: float) -> None:
    """MLTS: NNParallelCrashResistantInferenceTest."""
    with run.phase("inference", load_s):
        run.processes("inference", load_s, count=1, threads=run.options.threads)


@stress_test("MemoryMappedModelLoad", "Threads prepare models whose constants are mapped from files.", 8.0)
def memory_mapped_model_load(run: StressRun, load_s: float) -> None:
    """MLTS: NNMemoryMappedModelCompilationTest."""
    with run.phase("loading", load_s):
        run.processes("mapped_loading", load_s, count=1, threads=max(run.options.threads // 2, 1))


@stress_test("InferenceStress", "One thread executes models for long.", 20.0)
def inference_stress(run: StressRun, load_s: float) -> None:
    """MLTS: NNInferenceStressTest."""
    with run.phase("inference", load_s):
        run.threads("inference", load_s, count=1)


@stress_test("ModelLoadingStress", "One thread prepares models, executes each and lets it go, for long.", 20.0)
def model_loading_stress(run: StressRun, load_s: float) -> None:
    """MLTS: NNModelLoadingStressTest."""
    with run.phase("loading", load_s):
        run.threads("loading", load_s, count=1)
