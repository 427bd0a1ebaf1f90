"""Checks of random graphs, judged by the criteria of CTS or by error bounds."""
