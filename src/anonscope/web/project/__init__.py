"""Workspaces that outlive a server: a private folder keeps what was said and found out, and the data only if that is asked for."""
