"""Small dense and sparse systems of linear equations."""
