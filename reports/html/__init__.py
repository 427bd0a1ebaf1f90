"""HTML pages of reports; each is a single file that loads nothing from the network.

``page`` makes the page of a run, ``diff`` that of two runs, ``history`` and ``scoreboard`` those of many. The other
modules turn a log into views: data classes with exactly the numbers and texts that a template shows. The Jinja
templates are in ``reports/templates``, and ``environment`` loads them. Reports for terminals, GitHub and CI are made
by ``reports/console.py``, ``markdown.py``, ``github.py`` and ``junit.py``.
"""
