"""Drivers behind a command that reads model files: ``files:COMMAND`` and the answers to bundles (docs/files.md).

A folder holds cases, each a model file with raw inputs; the command writes the outputs beside them. ``device.py`` runs
the command for each execution, ``answers.py`` reads outputs that were sent back, and ``layout.py`` defines the folder.
"""
