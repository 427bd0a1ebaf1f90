"""The zoo: deliberately wrong drivers, on which the suite itself is tested.

Each driver is the bundled one with a single planted bug, which the suite (or the fuzzer, the stress tests or the
benchmark) has to find. ``registry.py`` has the decorators that register a bug together with the rules and cases that
must find it; ``full_device.py`` has the base classes. ``nnvet zoo`` lists the bugs, and ``zoo:NAME`` selects a driver.
"""
