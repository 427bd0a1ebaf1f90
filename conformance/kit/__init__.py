"""The toolkit that suites are written with.

- ``checks`` registers a function as a check, ``subject`` is the driver under test as a check sees it, and ``outcome``
  is how a case ends.
- ``preparing`` prepares a model, ``executing`` executes it by any method of the HAL, and ``judging`` judges the answer;
  ``bounded`` does all three under the oracle's error bounds. Every suite, stress test and finder goes through them, so
  that one answer gets one verdict everywhere.
- ``siblings`` asks for the valid sibling of a refused model: without it a driver that refuses everything would pass.
- The others serve kinds of suites: threads (``concurrent_calls``), fences (``fenced_runs``), device memory, second
  clients, invalid requests, growth of a process, models by hand.

The engine (:mod:`nnvet.conformance.engine`) selects, schedules and runs what is written with it; the kit imports
nothing of the engine, which ``lint-imports`` checks.
"""
