"""The corpus of spec files, from the meaning of the operations: ``make specs`` writes ``conformance/specs/``.

Each module of ``families/`` says in tables what is asked of the operations of one family; expected values are the
oracle's (``oracle/operations/``). Every file goes through :mod:`nnvet.generators.corpus.emitter`.
"""
