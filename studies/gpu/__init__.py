"""Growth on a CUDA device: what its kernel needs, what can be known of its speed without a device, and its speed on one."""
