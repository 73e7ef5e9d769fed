"""Whole models as text of other languages, with what solves their constraints and steps them."""
