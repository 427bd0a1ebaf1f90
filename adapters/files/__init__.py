"""Drivers behind a command that reads model files: ``files:COMMAND`` and the answers to bundles (docs/files.md).

A folder holds cases, each a model file with raw inputs. The command writes the outputs beside these. ``device.py`` runs
the command for each execution, ``answers.py`` reads answers that were sent back, and ``layout.py`` describes the
folder.
"""
