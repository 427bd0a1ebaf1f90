"""Random models of any options and seed: what campaigns are made of."""
