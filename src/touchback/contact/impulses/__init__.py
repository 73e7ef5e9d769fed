"""Impulses and forces of rigid contacts at one instant, whatever kinds touch."""
