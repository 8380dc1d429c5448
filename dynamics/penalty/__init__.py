"""Growth by minimising penalties, batched in PyTorch on CPU or CUDA (paper 002, Algorithm 1)."""
