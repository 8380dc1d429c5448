"""Recordings of a real tube: tracking in a video, identification of its parameters, and reports of fits."""
