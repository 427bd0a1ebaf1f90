"""NumPy kernels of the bundled driver, one module per family of ``hal/operations``.

``registry.py`` explains kernels and plans. A new operation needs a declaration there, a kernel here and a meaning in
``oracle/operations``; the oracle shares no code with the kernels, so that each can check the other.
"""
