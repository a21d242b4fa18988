"""An audit as text, Markdown and JSON."""
