"""The event log of a run, and everything that is rendered from it.

``events`` defines the events of a log and ``log`` reads and writes them. ``outcome`` judges a run, ``diff`` compares
two runs, ``history`` and ``series`` follow many. ``render`` writes the files of a report, and ``html`` makes its page.
"""
