"""The recipe that meets a policy at the least loss."""
