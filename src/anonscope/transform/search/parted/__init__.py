"""Tables that are searched part by part."""
