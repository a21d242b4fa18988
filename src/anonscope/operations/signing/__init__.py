"""What a dossier for signature is made of: what only people know, and what a release was published with."""
