"""What stands beside a release, and how it is written."""
