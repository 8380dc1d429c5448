"""Growth among walls as geometry alone: pivots, slides and the corners that the body hangs on (paper 003)."""
