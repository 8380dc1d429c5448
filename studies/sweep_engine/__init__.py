"""The cluster that runs sweeps, measured: same bytes, overhead, efficiency, and 10 000 shards."""
