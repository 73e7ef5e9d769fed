"""Makes the picture of the page about presses: `PYTHONPATH=. python docs/make_presses.py`."""

from pathlib import Path

from make_benches import COLOURS
from PIL import Image

from studies.piano.press_map import counts, press_map

if __name__ == "__main__":
    path = Path(__file__).parent / "pictures" / "benches" / "presses.png"
    press_map(counts()).savefig(path, dpi=100)
    image = Image.open(path).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
