"""Studies of the suite itself. They run from the root of the repository and are not installed with the product."""
