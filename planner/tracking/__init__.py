"""From a video of a growing vine to its recorded centrelines."""
