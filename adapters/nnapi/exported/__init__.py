"""The opposite direction of the kind ``ndk``: drivers of the HAL as a shared library that exports the NNAPI's C API.

``building`` compiles the library, ``serving`` answers its functions in the process that has loaded it. The other
modules have one kind of the C API's objects each, and the functions on them by name.
"""
