"""Stress tests of a driver: heavy load, clients that die, floods of models, and long work.

The command ``nnvet stress`` calls ``running.run_stress``, which runs many tests and keeps the event log. A test
(``suites/``) runs in a separate process (``process.py``), with clients in further processes (``clients.py``,
``client.py``) and the driver in its service process. The coordinator (``coordinator.py``) watches all of them, and says
how the test ended: SUCCESS, FAILURE, HANG or CRASH. Cases that take seconds and need one client are in
``conformance/suites/``.

The tests are those of the crash tests of MLTS (docs/contract/crash-tests.md), and more.
"""
