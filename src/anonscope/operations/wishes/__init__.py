"""What can be asked of a verb, said once: the command line's options, Python's checks and REST's schemas come from here.

Every group is a frozen dataclass whose fields carry their `Words`. Nothing here loads an engine, so that `--help` stays quick.
"""
