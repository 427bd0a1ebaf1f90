"""The zoo: deliberately wrong drivers, on which the suite itself is tested.

Each driver is the bundled one with a single planted bug, which the suite (or the fuzzer, the stress tests or the
benchmark) has to find. ``registry.py`` has the decorators that register a bug together with the rules and cases that
must find it; ``full_device.py`` has the base classes. The other modules have the bugs, by subject. ``nnvet zoo`` lists
the bugs, ``zoo:NAME`` selects a driver, and ``tests/zoo`` runs the suite on all of them.
"""
