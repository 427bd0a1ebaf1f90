"""Checks of memory of every type: shared memory, device memory and its life cycle, constants in pools.

``allocate.py``, ``copy.py``, ``execution.py`` and ``lifecycle.py`` are about device memory and share ``domain.py``;
``types.py`` and ``constants.py`` are about the client's memory; ``request_runner.py`` executes for several of them.
"""
