"""Models and inputs that show how accurate single operations are.

``dot_products.py`` and ``shaped_sums.py`` have sums of products; ``values.py`` has every value of the small types, and
chosen values of the others. The suites in ``conformance/`` execute the models and compare the results.
"""
