"""The web app: a local page, and the same as a REST interface under /api/v1.

`create_app` makes it, and `anonscope serve` runs it. It needs the extra `web`.
"""
