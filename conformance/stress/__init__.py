"""Stress tests of a driver: heavy load, clients that die, floods of models, and long work.

A test (``suites/``) runs in a separate process (``process.py``), with clients in further processes (``clients.py``,
``client.py``) and the driver in its service process. The coordinator (``coordinator.py``) watches all of them, and says
how the test ended: SUCCESS, FAILURE, HANG or CRASH. ``running.py`` runs many tests and keeps the event log.

The tests are those of the crash tests of MLTS (docs/contract/crash-tests.md), and more.
"""
