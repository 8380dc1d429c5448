"""What recorded growths of a real tube teach about another growth of it that is not shown."""
