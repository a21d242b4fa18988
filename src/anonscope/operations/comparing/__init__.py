"""How versions of a table are compared: where each stands, what it still tells, and how that balances its risk."""
