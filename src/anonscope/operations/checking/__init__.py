"""Parts of `check`: the tables that a repository names, and what was found of each rule."""
