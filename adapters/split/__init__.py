"""A driver made of drivers: it cuts a model into steps, and one of several devices prepares and executes each step.

``device`` makes it. A preparation goes through ``assignment`` (which device), ``steps`` (which operations together) and
``plan`` to ``prepared``; ``running`` is one execution, and ``interpreting`` runs control flow on the host. ``caching``
and ``tokens`` serve compilation caching and device memory. ``placement`` and ``advice`` are for ``nnvet partition``,
and ``faults`` plants faults that the suite has to find (docs/partition.md).
"""
