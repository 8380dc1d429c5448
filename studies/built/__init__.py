"""Built tubes: how well success is known after trials, and how often a tube that fails can be made to work."""
