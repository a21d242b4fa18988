"""Why a table is at risk, and what to do next."""

# How many attributes the sets that single people out may have, unless more are asked for.
LARGEST_SET = 3
