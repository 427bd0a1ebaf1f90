"""The kinds ``ndk`` and ``sl``: shared libraries that export the NNAPI's C API or its support library's structure.

``library`` loads such a library, ``device``, ``prepared_model`` and ``device_memory`` implement the HAL's interfaces
with it, and ``compilation`` and ``execution`` translate models and requests. ``inexpressible`` refuses what the C API
cannot express. ``declarations`` is the one table of the C API. The package ``exported`` goes the opposite way: it makes
such a library of a driver.
"""
