"""Variants of the search: six studies that plan with each of them, with the same seeds in the same environments."""
