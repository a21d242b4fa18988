"""The register of releases: a chain of lines, and what a new release tells together with the earlier ones."""
