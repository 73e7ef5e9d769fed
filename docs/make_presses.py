"""Makes the picture of the page about presses: `PYTHONPATH=. python docs/make_presses.py`."""

from pathlib import Path

from make_benches import in_few_colours

from studies.piano.press_map import counts, press_map

if __name__ == "__main__":
    path = Path(__file__).parent / "pictures" / "benches" / "presses.png"
    press_map(counts()).savefig(path, dpi=100)
    in_few_colours(path)
