// Puts the page together: each panel is a module that mounts itself; one that fails says so and the others go on.
import { showDisconnected } from "./disconnected_notice.js";
import { adaptFrameRate } from "./frame_rate.js";
import { mountKeysHelp } from "./keys_help.js";
import { mountLayouts } from "./layouts_menu.js";
import { note, showRun } from "./page_frame.js";
import { PanelLayout } from "./panel_layout.js";
import { connect } from "./server_connection.js";

const PANELS = {
  view: "./mechanism_view.js", tree: "./parts_tree.js", inspector: "./inspector.js", laws: "./controller_law_editor.js", parameters: "./sliders.js",
  transport: "./transport_bar.js", scopes: "./scopes.js", meters: "./energy_meters.js", drive: "./driving.js", trial: "./driving_trial.js", graph: "./mode_graph.js", deadlines: "./deadline_panel.js",
};
const root = document.documentElement;
const $ = id => document.getElementById(id);

// ---- the run ----
const bench = connect();
showRun(bench);
bench.layout = new PanelLayout();
adaptFrameRate(bench);
bench.on("open", () => { $("state").textContent = "connected"; $("state").dataset.state = "running"; });
bench.on("closed", () => { $("state").textContent = "not connected"; $("state").dataset.state = "closed"; });
showDisconnected(bench, $("view"), ["transport", "left", "right"].map($));
bench.on("trial", () => { // who came to drive sees the road, unless panels were opened before
  if (!root.dataset.trial) bench.layout.closeUnchosen();
  root.dataset.trial = "yes";
});
window.bench = bench;
mountKeysHelp(bench, $("help"));
mountLayouts(bench, $("layouts"));

const mounted = Object.entries(PANELS).map(([id, file]) => import(file).then(module => module.mount($(id), bench)).catch(error => {
  console.error(`${id}: ${error.message}`);
  if (!/Failed to fetch/.test(error.message)) $(id).textContent = `This panel failed: ${error.message}`;
}));
Promise.all(mounted).then(() => {
  let drawn = false;
  bench.on("drawing", () => { // a page that draws: its modules come when they are needed
    if (drawn) return;
    drawn = true;
    import("./drawing/drawing_editor.js").then(module => module.mount(bench)).catch(error => note(`Drawing failed: ${error.message}`, "bad"));
  });
  root.dataset.ready = "yes";
  bench.tell("mounted");
});

// A mechanism that was opened from the gallery explains itself.
if (new URLSearchParams(location.search).get("run")?.startsWith("gallery/")) {
  const stop = bench.on("open", () => { stop?.(); import("./play/mechanism_sentences.js").then(module => module.mount(document.querySelector("main"), bench)); });
}
