"""How a release is attacked: with what, and the tables that it takes, read once."""
