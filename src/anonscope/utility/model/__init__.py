"""What a model still learns."""
