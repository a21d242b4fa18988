"""How a release is published: made in private, read back, judged, put in place with its papers."""
