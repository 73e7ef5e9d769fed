"""The driving simulator of Docquier 2021, section 5.2: an obstacle, three casters, blind."""
