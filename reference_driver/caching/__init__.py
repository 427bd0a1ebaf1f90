"""Compilation caching of the bundled driver (docs/contract/hal.md 10.3).

One model cache file holds the graph and the options of a preparation, one data cache file all constants and, once the
model has been executed, the plans of its operations. The driver trusts neither file: in a file of its own it keeps the
hash of each token's model cache, and the model cache in turn holds the hash of the constants.
"""

from nnvet.reference_driver.caching.compilation_cache import CompilationCache

__all__ = ["CompilationCache"]
