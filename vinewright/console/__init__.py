"""Shared by the commands: errors, options, progress, and the message during compilation."""
