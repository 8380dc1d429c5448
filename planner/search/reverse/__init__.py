"""The tree of biarcs from the goal: contact-free paths whose cost guides the search (paper 002, section 5)."""
