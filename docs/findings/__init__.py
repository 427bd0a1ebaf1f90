"""Programs that show the findings of `docs/findings.md`, each with the runtime alone."""
