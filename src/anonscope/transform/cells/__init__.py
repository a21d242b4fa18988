"""How steps read and write single cells."""
