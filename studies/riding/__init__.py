"""A simulator that rides along in a car: Gallo's transfers and derivatives, measured."""
