"""Reliability: crashes, accuracy, memory and success of planning in a thousand random environments."""
