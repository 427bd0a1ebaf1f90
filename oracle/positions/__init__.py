"""Stated numeric positions: the liberties that honest accelerators take, and whether answers keep them."""
