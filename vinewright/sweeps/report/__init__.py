"""The report of a sweep: tables and pictures of what varies in it."""
