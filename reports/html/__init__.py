"""HTML pages of reports; each is a single file that loads nothing from the network.

``page`` makes the page of a run, ``diff`` that of two runs, ``history`` and ``scoreboard`` those of many. The other
modules compute views, which the templates of ``environment`` lay out.
"""
