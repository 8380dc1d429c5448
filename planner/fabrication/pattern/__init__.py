"""The flat pattern of a build, and its files."""
