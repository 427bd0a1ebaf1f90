"""The specs here are for the wrong drivers, not tests of their own."""

collect_ignore = ["specs"]
