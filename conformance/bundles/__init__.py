"""Bundles: cases in folders for people without nnvet, and the judgement of their answers (docs/files.md)."""
