"""Checks of many calls and many clients at the same time, and of resources that they leave behind."""
