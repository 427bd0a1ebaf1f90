"""The wire between a client and a driver's service process: frames, messages, sessions.

``framing.py`` moves bytes and descriptors, ``codec.py`` turns them into messages of HAL types, and ``methods.py`` lists
the methods that can be called. ``client.py`` and ``server.py`` are the two ends of a session. The protocol is described
in docs/protocol.md; ``tables.py`` generates that page's tables.
"""
