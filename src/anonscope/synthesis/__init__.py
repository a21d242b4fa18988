"""Differential privacy and tables that are drawn, not recoded: what may be spent, with which noise, over which declared domain."""
