"""One module for each family of operations; its ``files()`` are the spec files of the family."""
