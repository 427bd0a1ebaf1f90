"""Coverage-guided fuzzing: inputs that crash a driver, hang it, use up memory, or make it break a rule.

A harness (:mod:`nnvet.fuzz.harness`) makes something of bytes and hands it to a driver; whatever it finds is a
:class:`nnvet.fuzz.findings.FuzzFinding`. atheris and libFuzzer choose the bytes.

What Android's fuzz tests do, and what is done otherwise here: docs/contract/fuzz-tests.md.
"""
