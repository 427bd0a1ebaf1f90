"""Soak test of the suite: hours of work, in which memory, descriptors and threads must not grow.

``python -m tools.soak`` runs it; ``watching`` measures the processes of a command, ``judging`` finds growth.
"""
