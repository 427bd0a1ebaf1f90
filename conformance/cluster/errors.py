"""Errors that end a run on a cluster before it has begun."""


class ClusterError(Exception):
    """A cluster cannot do a run; the text says what to do about it."""
