"""Service processes of drivers: the parent's side, which starts and watches a process, and the service itself.

The parent's side is ``process.py``, with ``activity.py``, ``crashes.py``, ``stacks.py``, ``strays.py``, ``traps.py``,
``sandbox.py`` and ``sanitizers.py``. The service's program is ``main.py``, with ``belongings.py`` and ``locking.py``.
``peer.py`` watches a service that was started outside the suite.
"""
