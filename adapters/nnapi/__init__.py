"""The kinds ``ndk`` and ``sl``: shared libraries that export the NNAPI's C API or its support library's structure."""
