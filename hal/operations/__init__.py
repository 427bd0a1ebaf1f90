"""One declaration for every operation; validator, driver, generators and docs read these and nothing else.

``declaration.py`` is the form, and an operation with its actual operands, ``catalogue.py`` finds a
declaration by code. The other modules hold one family of operations each, mirrored by the kernels.
"""
