"""Drivers behind a command that reads model files: ``files:COMMAND`` and the answers to bundles (docs/files.md).

A folder holds cases, each a model file with raw inputs; whoever runs them puts the outputs beside these.
"""
