"""The wire between a client and a driver's service process: frames, messages, sessions.

``framing.py`` moves bytes and descriptors, ``messages.py`` and ``methods.py`` say what they mean, ``codec.py``
turns them into HAL types. ``client.py`` and ``server.py`` are the two ends of a session.
"""
