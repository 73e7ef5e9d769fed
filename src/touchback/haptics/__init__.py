"""Haptic display: how a computer and a motor make a hand feel things that aren't there."""
