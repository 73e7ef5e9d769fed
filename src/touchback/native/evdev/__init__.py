"""Wheels and pedals as event devices of Linux, served beside the ticks."""
