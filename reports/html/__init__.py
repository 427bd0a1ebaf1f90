"""The HTML report: one file without any reference to the network."""
