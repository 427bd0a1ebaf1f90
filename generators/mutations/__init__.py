"""Ways to break a valid model or request, as pure functions; :mod:`nnvet.generators.mutations.operations` lists them.

A mutation of models maps a valid model and a feature level to mutants: copies, each with one sentence that says
what was changed. Every mutant is invalid at that level, and nothing but the one change makes it so.
Source: docs/contract/vts-tests.md 2. Some mutations of VTS are mistaken and differ here: docs/beyond-vts.md.
"""
