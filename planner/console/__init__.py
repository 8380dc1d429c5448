"""What the commands share: errors, options, progress, and the note while kernels compile."""
