"""Models as inputs of the fuzzer: their form, how they are changed, and what a driver is asked about them."""
