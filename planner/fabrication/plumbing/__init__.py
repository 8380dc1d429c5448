"""Air supply of a build: feed lines, valves, and what is switched while the tube grows."""
