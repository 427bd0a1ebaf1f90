"""Profiles, the must-pass lists by purpose: a run is conformant to a profile, never simply conformant.

The lists are the TOML files beside this module. ``evaluation`` reads them and compares runs with them, ``statement``
writes the verdict as a file that can be signed.
"""
