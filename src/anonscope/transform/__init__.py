"""How a table is changed: steps, recipes, the search for the least loss, and the release."""
