"""Output of results: written whole or not at all, with their provenance, as tables and Markdown."""
