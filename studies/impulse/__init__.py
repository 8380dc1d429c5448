"""Runtime of the impulse simulator, and its cluttered environment (papers 000 and 001)."""
