// Drawing on the page: put together here when the server tells of a drawing for the first time.
import { h } from "../dom.js";
import { DrawingDocument } from "./drawing_document.js";
import { drawingBar } from "./drawing_bar.js";
import { DrawingFiles } from "./drawing_files.js";
import { DRAWING_KEYS, listenForKeys, TOOL_KEYS } from "./drawing_keys.js";
import { paintChosen } from "./ghost.js";
import { itemPanel, worldPanel } from "./item_fields.js";
import { Mover } from "./mover.js";
import { ToolSession } from "./tool_session.js";
import { TracePaths } from "./trace_paths.js";
import { toolbar, ToolStrip } from "./tool_strip.js";
import { mountVerify } from "./verify_panel.js";

export class DrawingEditor {
  constructor(bench) {
    this.bench = bench;
    this.view = bench.view;
    this.keys = { "Tools of the drawing": TOOL_KEYS, "Drawing": DRAWING_KEYS };
    this.drawing = new DrawingDocument(bench);
    this.session = new ToolSession(this);
    this.mover = new Mover(this);
    this.traces = new TracePaths(this);
    this.files = new DrawingFiles(this);
    this.strip = new ToolStrip(this);
    this.tools = toolbar(this);
    this.bar = drawingBar(this);
    mountVerify(document.getElementById("verify"), this);
    listenForKeys(this);
    addEventListener("click", e => { // keys are the view's after a click by a pointer, above all the space bar; a dialog gives them back to it
      const button = e.detail && e.target.closest("header button, .float button");
      if (button && !button.closest(".menu, [aria-expanded]")) this.view.canvas.focus({ preventScroll: true });
    }, true);
    this.view.overlay.painters.add(overlay => { if (this.resting && this.view.colours) paintChosen(overlay, this.view, this.drawing); });
    this.drawing.changed.add(() => this.take());
    bench.on("scene", () => {
      this.markLoose();
      if (this.begun) this.view.stage.fit(this.view.world.bounds);
      this.begun = false;
      this.keepWhole();
    });
    this.session.choose("select");
    if (this.drawing.told) for (const fn of this.drawing.changed) fn();
  }

  get resting() { return this.drawing.resting; }
  /** Presses on the view are the tool's while the drawing rests. */
  press(e) { return this.session.press(e); }

  /** Joints by which loose bodies hang on the ground aren't shown: nobody drew them. */
  markLoose() {
    const loose = new Set((this.drawing.told?.joints || []).filter(each => each.loose).map(each => each.name));
    for (const joint of this.bench.scene?.joints || []) joint.loose = this.resting && loose.has(joint.name);
  }

  take() {
    this.markLoose();
    const { resting } = this, mode = resting ? "rest" : "play";
    if (document.documentElement.dataset.drawing !== mode) {
      this.whole = !resting && this.isWhole();
      document.documentElement.dataset.drawing = mode;
      this.session.choose("select");
      this.view.choose("hand");
      dispatchEvent(new Event("resize"));
      this.bench.select(this.bench.selected); // the inspector is another one
      this.keepWhole();
    }
    this.session.tell();
    this.view.draw();
  }

  /** Whether all of the mechanism, and of where it may swing, is in the picture. */
  isWhole() {
    const { view } = this, { world, canvas } = view;
    if (!world.ready) return true;
    const [low, high] = world.bounds, corners = Array.from({ length: 8 }, (_, i) => view.pixel(low.map((x, axis) => i >> axis & 1 ? high[axis] : x)));
    return corners.every(([x, y]) => x >= 0 && y >= 0 && x <= canvas.clientWidth && y <= canvas.clientHeight);
  }

  /** What was seen whole when it began to play stays so beside the scopes, which make the picture smaller. */
  keepWhole() {
    if (!this.whole || this.resting) return;
    requestAnimationFrame(() => {
      this.view.paint();
      if (!this.isWhole()) this.view.stage.fit(this.view.world.bounds);
    });
  }

  /** Another drawing: it is seen from the beginning. */
  begin() {
    this.begun = true;
    this.drawing.choose([]);
    this.session.plane.origin = this.session.raw = [0, 0, 0];
    this.session.choose("select");
  }

  async play() { await this.drawing.send(this.resting ? "play" : "rest"); }

  /** The inspector's panel for what is chosen while it rests. */
  panel(content, chosen) { return this.shown = chosen ? itemPanel(content, this, chosen) : worldPanel(content, this); }

  /** The same below the panel of a run: what is typed reaches it. */
  below(content, chosen, live) {
    const box = h("div", {}), own = itemPanel(box, this, chosen);
    if (!own) return live;
    content.append(h("h3", {}, "As drawn"), box);
    return { ...live, end: () => { live.end?.(); own.end(); } };
  }

  rename() {
    const right = document.documentElement.dataset.right;
    if (right === "closed") document.querySelector('[data-panel="right"]').click();
    this.shown?.rename?.();
  }
}

export function mount(bench) {
  bench.drawing = new DrawingEditor(bench);
  bench.tell("drawn", bench.drawing);
}
