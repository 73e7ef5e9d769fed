// What pointers, wheels and keys do to a scope over time.

/** Drag pans, wheel and pinch zoom, double click follows; arrows, + and −, Home and End do the same. */
export function gestures(plot, scope) {
  const canvas = plot.canvas, pointers = new Map();
  let pinch = null, held = null;
  canvas.style.touchAction = "none";
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, e.offsetX);
    held = pointers.size === 1 ? scope.cursors.grab(e.offsetX) : null;
    pinch = pointers.size === 2 ? spread() : null;
  });
  canvas.addEventListener("pointermove", e => {
    if (!pointers.has(e.pointerId)) { canvas.style.cursor = scope.cursors.near(e.offsetX) ? "ew-resize" : "crosshair"; return; }
    const moved = e.offsetX - pointers.get(e.pointerId);
    pointers.set(e.pointerId, e.offsetX);
    if (held) scope.cursors.move(held, plot.at(e.offsetX));
    else if (pinch && pointers.size === 2) {
      const now = spread();
      scope.zoom(pinch.wide / Math.max(now.wide, 10), plot.at(now.middle));
      pinch = now;
    } else if (pointers.size === 1 && moved) scope.pan(plot.at(0) - plot.at(moved));
  });
  const up = e => { pointers.delete(e.pointerId); pinch = held = null; };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) scope.pan(plot.at(e.deltaX) - plot.at(0));
    else scope.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 300))), plot.at(e.offsetX));
  }, { passive: false });
  canvas.addEventListener("dblclick", () => scope.look());
  canvas.addEventListener("keydown", e => {
    const span = plot.x[1] - plot.x[0], middle = plot.x[0] + span / 2;
    const does = {
      ArrowLeft: () => scope.pan(-span / 8), ArrowRight: () => scope.pan(span / 8), "+": () => scope.zoom(.7, middle),
      "-": () => scope.zoom(1.4, middle), Home: () => scope.all(), End: () => scope.look(),
    }[e.key];
    if (does) { e.preventDefault(); e.stopPropagation(); does(); }
  });

  function spread() {
    const [a, b] = [...pointers.values()];
    return { wide: Math.abs(a - b), middle: (a + b) / 2 };
  }
}
