"""Drivers on other machines: the suite's end of the byte link to an agent, which starts the driver (docs/remote.md).

``driver`` has the driver that :mod:`nnvet.adapters.drivers` opens. ``reaching`` and ``adb`` connect to the agent.
``stream`` sends the bytes of ``messages``; ``link`` gives them their meaning, with ``replicas`` of shared memory and
``fences``. ``carrier`` makes a link look like a local connection. The agent itself is the C++ program in ``agent/``.
"""
