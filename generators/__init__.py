"""What makes tests: the specification language, test models, random graphs, mutations."""
