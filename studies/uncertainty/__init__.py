"""Plans under errors: how often the chosen designs reach the goal, beside those of lowest cost."""
