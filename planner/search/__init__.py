"""The search: batched SST* over rollouts, optionally guided by a reverse tree of biarcs."""
