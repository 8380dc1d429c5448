"""Pages for the builder: guide, template, bench sheet."""
