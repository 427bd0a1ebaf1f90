"""The meaning of every operation as a plain computation; families are the modules of ``hal/operations``.

A meaning follows the operation's page in docs/contract/operations, and must not be derived from the bundled driver's
kernels: the oracle judges them.
"""
