"""CApiTest: the library itself, as an interface of functions, objects and states; see ``docs/beyond-vts.md``.

Only drivers that are reached by the C API (``ndk:``, ``sl:``) have it. Nothing is tested that its header leaves
undefined: a use of objects that have been freed, a second release, pointers to nothing.
"""
