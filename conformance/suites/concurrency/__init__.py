"""Checks of many calls and many clients at the same time, and of resources that they leave behind.

``concurrency.py`` has threads of one client, ``isolation.py`` several clients, ``leaks.py`` what the driver still holds
after its work. Stress tests (:mod:`nnvet.conformance.stress`) do the same for minutes, with many processes.
"""
