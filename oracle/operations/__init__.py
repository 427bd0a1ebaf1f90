"""The meaning of every operation as a plain computation; the modules are families, as in ``hal/operations``.

A meaning follows the operation's page in docs/contract/operations, and must not be derived from the bundled driver's
kernels, because the oracle judges these. Each module ends with a table ``MEANINGS`` of its operations;
``catalogue.py`` joins the tables. Functions that take an :class:`~nnvet.oracle.operations.invocation.Invocation`
(``call``) list the operation's inputs in their docstrings, in order; those in brackets are optional.
"""
