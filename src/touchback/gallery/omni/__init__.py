"""An omni wheel on its test bench, and platforms on omni and Mecanum wheels."""
