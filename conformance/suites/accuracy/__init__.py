"""How accurate single operations are."""
