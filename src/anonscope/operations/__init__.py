"""One file a verb: wishes checked, work done, a frozen result."""
