"""Drivers behind a command that reads model files: the kinds ``files`` and ``answers`` (docs/files.md).

A folder holds cases, each a model file with raw inputs; the command writes the outputs beside them. ``device.py`` runs
the command for each execution, ``answers.py`` reads outputs that were sent back, and ``layout.py`` defines the folder.
"""
