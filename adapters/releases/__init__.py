"""Releases of runtimes: listing those of an index, installing each apart, running reproducers in them."""
