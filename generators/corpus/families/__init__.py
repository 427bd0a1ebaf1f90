"""One module for each family of operations; its function ``files()`` returns the spec files of the family."""
