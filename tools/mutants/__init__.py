"""Mutation testing: kernels and declarations with one small change each, which specs or random models have to find.

``mutant`` makes the changes (mutants), and ``driver`` makes a driver with one of them. ``judges`` and ``random_models``
decide whether tests find the mutant; ``reach`` knows which tests execute a line; ``results`` and ``page`` store the
outcomes. Start: ``python -m tools.mutants``; docs/power.md explains the study.
"""
