"""Generator of the corpus of spec files: ``make specs`` writes ``conformance/specs/``.

Each module of ``families/`` has tables of the examples for one family of operations; the expected values come from the
oracle (``oracle/operations/``). To add cases, add rows and run ``make specs``. Every file is written by
:mod:`nnvet.generators.corpus.emitter`.
"""
