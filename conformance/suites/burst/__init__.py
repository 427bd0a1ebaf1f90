"""Checks of bursts by raw packets on their message queues, valid and invalid."""
