"""The command lines: thin over functions that a notebook can call, and quick to say their help."""
