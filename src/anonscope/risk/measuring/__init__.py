"""What is measured on which counts."""
