"""Bursts over the fast message queue (docs/contract/hal.md 12): many executions of one prepared model, little overhead.

``packets.py`` says how requests and results travel, ``server.py`` executes what comes out of a queue with any
:class:`nnvet.hal.interfaces.Burst`, ``client.py`` is such a burst for callers. ``memories.py`` has both sides of the
agreement on memory slots.
"""
