"""The opposite direction of the kind ``ndk``: drivers of the HAL as a shared library that exports the NNAPI's C API.

``building`` compiles the library. ``serving`` answers the library's functions in the process that has loaded it, by
means of ``calling``. Each of the other modules has one kind of the C API's objects (``devices``, ``model``,
``compilation``, ``memories``, ``descriptions``, ``execution``), or a step in their use (``finishing``, ``arguments``,
``running``), and a table of the functions on them.
"""
