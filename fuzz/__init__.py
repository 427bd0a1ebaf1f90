"""Coverage-guided fuzzing: inputs that crash a driver, hang it, use up memory, or make it break a rule.

A harness (:mod:`nnvet.fuzz.harness`) turns the bytes of an input into calls of a driver, and raises a
:class:`nnvet.fuzz.findings.FuzzFinding` if the driver misbehaves. atheris and libFuzzer choose the bytes. A job runs
all harnesses in turn (:mod:`nnvet.fuzz.runner`), each in slices of time (:mod:`nnvet.fuzz.slices`).

docs/contract/fuzz-tests.md describes Android's fuzz tests and the differences from them.
"""
