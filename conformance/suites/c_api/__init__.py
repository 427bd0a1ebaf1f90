"""Suite ``CApiTest``: tests of a driver library's C functions, their objects and states; see ``docs/beyond-vts.md``.

``checks`` runs the cases. ``model_calls``, ``compilation_calls``, ``execution_calls``, ``memory_calls`` and
``device_calls`` are tables of single functions (their form is in ``tables``), ``orders`` has sequences of several
calls, and ``vocabulary`` the steps that all of them are made of. The fuzzer of libraries (``fuzz/calls``) uses the same
steps.

Only drivers that are reached by the C API (``ndk:``, ``sl:``) have these functions. Nothing is tested that the API's
header leaves undefined: a use of objects that have been freed, a second release, pointers to nothing.
"""
