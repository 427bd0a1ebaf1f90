"""Programs that make the data sets and train the networks bundled with the benchmark; running them is never needed."""
