"""Parts of `describe`: what is known of a release, and how each standard says it."""
