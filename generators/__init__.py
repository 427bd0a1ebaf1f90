"""What makes tests: the specification language, random graphs, the reducer, exported vectors."""
