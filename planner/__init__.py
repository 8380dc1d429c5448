"""Planning, evaluation, storage and drawing of designs."""
