"""The suite: the engine that runs cases, what is tested, the spec corpus, the pytest plugin.

:func:`check_driver` is the whole of it for the tests of a driver.
"""

from nnvet.conformance.checking import CheckedDriver, check_driver

__all__ = ["CheckedDriver", "check_driver"]
