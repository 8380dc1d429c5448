"""The study `studio`: pictures of its views in a browser, and how long people wait."""
