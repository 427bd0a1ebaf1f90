"""Real models through a driver: model files, data sets, accuracy scores and the benchmark against LiteRT."""
