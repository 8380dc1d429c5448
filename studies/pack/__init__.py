"""Whether the files of a fabrication pack are enough to build its design: read by other programs, rebuilt, grown and tried."""
