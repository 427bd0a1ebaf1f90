"""Generators of tests: they make test models (:mod:`nnvet.graphs`), which the suites of ``conformance/`` execute.

- ``specs/`` loads Android's test-specification language, and ``corpus/`` writes the bundled spec files.
- ``random_graphs/``, ``metamorphic/``, ``accuracy/`` and ``operation_models.py`` make models.
- ``mutations/`` breaks models and requests, ``reducer/`` makes failing tests small, ``mining/`` cuts users' models up.
"""
