"""What columns are and what their values mean: roles, hierarchies, images, when values are equal."""
