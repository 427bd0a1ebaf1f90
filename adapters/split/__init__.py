"""A driver made of drivers: it cuts a model into steps, and one of several devices prepares and executes each step."""
