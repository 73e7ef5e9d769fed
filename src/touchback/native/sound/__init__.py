"""Strings that sound while they are played: the C side of `touchback.instruments.sound`."""
