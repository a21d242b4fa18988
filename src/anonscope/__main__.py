"""`python -m anonscope`."""

from anonscope.cli import main

main()
