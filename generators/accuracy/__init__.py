"""Models and inputs that show how accurate single operations are: sums of products, and every value of small types."""
