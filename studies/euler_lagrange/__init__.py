"""The figures of paper 004."""
