"""Records and values of two versions side by side."""
