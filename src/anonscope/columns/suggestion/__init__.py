"""Which role a column should have, and why. Nothing is applied silently.

`propose` looks at a table; `suggestion` holds what it finds. An audit that needs no proposal imports neither.
"""
