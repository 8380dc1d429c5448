"""Recorded growths of a real tube: each is predicted from the others."""
