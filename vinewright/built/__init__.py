"""A design that was built, in its folder: what was measured of it, what is learnt from that, and how it is adapted."""
