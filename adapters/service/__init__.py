"""Service processes of drivers: the parent's side, which starts and watches one, and the service itself.

``process.py`` is the parent's side, with ``activity.py``, ``crashes.py``, ``native_stacks.py``, ``strays.py`` and
``sandbox.py``; ``main.py`` is the program of the service, with ``server.py``, ``stacks.py`` and ``belongings.py``.
"""
