"""Which display for which device: the limits of each, measured."""
