"""Imported by each Python process that is started with this folder in PYTHONPATH: lets faults strike in it."""

from tests.faults.injector import install_by_environment

install_by_environment()
