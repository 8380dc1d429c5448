"""Speed of the studio: frames, reactions and traffic of its page in a real browser."""
