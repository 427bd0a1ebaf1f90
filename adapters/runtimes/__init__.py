"""Common parts of the adapters of third-party runtimes: tables of claims, inference of shapes, the device itself.

An adapter adds a table of :class:`~nnvet.adapters.runtimes.claims.Claim` and a function that makes a
:class:`~nnvet.adapters.runtimes.device.Program` of a :class:`~nnvet.adapters.runtimes.claims.Graph`.
"""
