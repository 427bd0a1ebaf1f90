"""Drivers in service processes: starting and watching one, and being one."""
