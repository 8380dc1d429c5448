"""The search: batched SST* over rollouts, guided by a reverse tree of biarcs where asked."""
