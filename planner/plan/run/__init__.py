"""Files of a planning run: its folder, its checkpoint and its inputs."""
