"""What a planning run keeps on disk: its folder, its checkpoint and its inputs."""
