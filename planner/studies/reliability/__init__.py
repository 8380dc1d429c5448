"""Planning a thousand random environments: crashes, accuracy, memory and success."""
