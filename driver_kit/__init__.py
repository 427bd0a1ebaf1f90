"""Base classes and helpers for authors of drivers in Python.

Begin with :class:`nnvet.driver_kit.base_device.BaseDevice`; docs/driver-utilities.md lists the helpers. The bundled
driver, the planted bugs and the adapters of runtimes derive from these classes.
"""
