"""Bundles: cases in folders for somebody who never installs nnvet, and the judging of the answers (docs/files.md)."""
