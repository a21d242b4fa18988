"""What somebody finds out who holds another table or another release."""
