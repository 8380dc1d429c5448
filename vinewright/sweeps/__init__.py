"""Sweeps: many plans or trials, split into shards that run anywhere, and one table of their results."""
