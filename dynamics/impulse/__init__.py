"""Growth with inertia: rigid bodies, joints and contacts as impulses (papers 000/001)."""
