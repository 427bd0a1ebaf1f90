"""Random graphs compared by the criteria of CTS."""
