"""The studio: a page in the browser to draw, plan, look and make."""
