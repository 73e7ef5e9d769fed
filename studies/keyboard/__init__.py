"""Experiments with the motorised key: what is felt through it, and what energy passes."""
