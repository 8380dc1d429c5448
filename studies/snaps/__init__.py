"""Whether vines are at rest in every recorded state, whether they take the right way at a snap, and what that costs."""
