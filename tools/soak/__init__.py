"""The suite at work for hours: what it and the services of drivers take, and whether that grows."""
