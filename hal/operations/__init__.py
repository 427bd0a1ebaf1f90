"""One declaration for every operation; validator, driver, generators and docs read these and nothing else.

``declaration.py`` has the classes of a declaration, and of an operation with its actual operands. ``catalogue.py``
finds a declaration by code. The other modules hold one family of operations each, as the kernels do.
"""
