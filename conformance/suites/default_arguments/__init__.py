"""Optional arguments: left out, or given with their default values."""
