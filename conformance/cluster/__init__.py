"""Runs on the workers of a dask cluster: workers open the driver and run cases, and this process merges the results.

``connect`` finds the workers as a ``fleet``. ``run`` distributes the cases of a plan in pieces (``chunk``), which
``host`` runs on a worker. ``solo_run`` distributes tasks that need a machine to themselves (``solo``,
``solo_process``), such as stress tests. ``machine`` has the lock that keeps such tasks alone. Workers on one machine
without dask are in :mod:`nnvet.conformance.engine.pool`; the fuzzer has hosts of its own (``fuzz/cluster``).
"""
