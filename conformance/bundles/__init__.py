"""Bundles: cases in folders for people without nnvet, and the judgement of their answers (docs/files.md).

``making`` writes a bundle by running cases on the device of ``recording``. The answers come back through the adapter
:mod:`nnvet.adapters.files`, which also defines the files.
"""
