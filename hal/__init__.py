"""The contract between neural-network drivers and their clients: types, interfaces, rules, validation."""
