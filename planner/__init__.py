"""How a design is found, judged, kept and shown."""
