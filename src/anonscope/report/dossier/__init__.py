"""The thirteen sections of the dossier behind a release."""
