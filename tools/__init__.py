"""Studies of the suite itself: run from the root of the repository, no part of what is installed."""
