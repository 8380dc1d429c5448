"""Lists of what to buy, to print and to cut."""
