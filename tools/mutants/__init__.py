"""Mutation testing: kernels and declarations with one small change each, which specs or random models have to find.

``python -m tools.mutants`` runs it, and docs/power.md explains the study. A mutant is a source file with one change:

- ``kinds`` has the kinds of changes, ``mutant`` lists and makes the mutants of a file;
- ``driver`` makes the bundled driver with a mutant, and ``sessions`` opens it for tests;
- ``judges``, ``random_models`` and ``preferences`` try a mutant with specs, random models and machine code;
- ``reach`` knows which tests execute a line;
- ``running`` tries mutants in processes of their own, ``results`` stores the outcomes, and ``page`` makes tables.
"""
