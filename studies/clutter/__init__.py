"""Dense clutter: how many random environments have a design at all, and how soon each way to search finds one."""
