"""Bursts over the fast message queue (docs/contract/hal.md 12): many executions of one prepared model, little overhead.

``packets.py`` defines the layout of requests and results. ``client.py`` is the caller's side, a
:class:`nnvet.hal.interfaces.Burst`; ``server.py`` takes requests out of a queue and executes them with a driver's
burst. ``memories.py`` has both sides of the agreement on memory slots.
"""
