"""Models as Modelica packages: bodies and constraints that meet at ports."""
