// A file that plays a recording by itself, and runs its model where it holds that: the page's own view, sliders and scopes.
import { h } from "../dom.js";
import { showRun } from "../page_frame.js";
import { PanelLayout } from "../panel_layout.js";
import * as view from "../mechanism_view.js";
import * as tree from "../parts_tree.js";
import * as scopes from "../scopes.js";
import * as sliders from "../sliders.js";
import * as transport from "../transport_bar.js";
import { SharedBench } from "./shared_bench.js";
import { WebModel } from "./web_model.js";

const PANELS = { view, tree, parameters: sliders, transport, scopes };
const $ = id => document.getElementById(id);

/** What the file holds: a header as JSON, and binary parts by name. */
async function opened(text) {
  const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const whole = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
  const length = new DataView(whole).getUint32(0, true), about = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, length)));
  return { about, part: name => about.parts[name] ? whole.slice(4 + length + about.parts[name][0], 4 + length + about.parts[name][0] + about.parts[name][1]) : null };
}

try {
  if (!window.DecompressionStream) throw new Error("This browser is too old to unpack the file; open it with one of the last few years (Chromium 80, Firefox 113, Safari 16.4).");
  const { about, part } = await opened($("content").textContent), model = about.model ? await WebModel.of(part("model"), about.model) : null;
  const bench = window.bench = new SharedBench(about, part, model);
  bench.layouts = about.layouts;
  showRun(bench);
  bench.layout = new PanelLayout();
  $("about").append(...about.notes.map(text => h("p", { class: "soft small" }, text)));
  $("turn").hidden = !model;
  $("turn").onclick = () => bench.try({ do: bench.running ? "back" : "fork" });
  bench.on("recorded", recorded => { $("turn").textContent = recorded ? "Run the model" : "Back to the recording"; });
  for (const [id, module] of Object.entries(PANELS)) module.mount($(id), bench);
  bench.open();
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  $("view").append(h("div", { class: "gone" }, h("p", { role: "alert" }, error.message)));
  $("state").textContent = "not opened";
  throw error;
}
