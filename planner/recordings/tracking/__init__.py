"""Tracking a growing vine in a video: segmentation, centrelines and recordings."""
