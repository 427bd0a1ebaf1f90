"""Compilation caching of the bundled driver (docs/contract/hal.md 10.3).

A model cache file has the graph and the options of a preparation; a data cache file has all constants and, after the
first execution, the plans of the operations. The driver trusts neither file: a private file has the hash of each
token's model cache, and the model cache has the hash of the constants.
"""

from nnvet.reference_driver.caching.compilation_cache import CompilationCache

__all__ = ["CompilationCache"]
