"""Planning with one part of the search off at a time."""
