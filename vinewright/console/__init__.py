"""What the commands share: errors, options, progress, and the message during compilation."""
