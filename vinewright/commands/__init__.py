"""The commands of `vinewright`, one a file."""
