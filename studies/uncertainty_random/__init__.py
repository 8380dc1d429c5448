"""Plans under errors in random environments, beside those of lowest cost."""
