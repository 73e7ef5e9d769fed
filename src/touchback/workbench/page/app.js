// Puts the page together: each panel is a module that mounts itself; one that fails says so and the others go on.
import { showDisconnected } from "./disconnected_notice.js";
import { storage } from "./browser_storage.js";
import { short } from "./dom.js";
import { adaptFrameRate } from "./frame_rate.js";
import { mountKeysHelp } from "./keys_help.js";
import { connect, haltReason } from "./server_connection.js";

const PANELS = {
  view: "./mechanism_view.js", tree: "./parts_tree.js", inspector: "./inspector.js", laws: "./controller_law_editor.js", parameters: "./sliders.js",
  transport: "./transport_bar.js", scopes: "./scopes.js", meters: "./energy_meters.js", drive: "./driving.js", trial: "./driving_trial.js", graph: "./mode_graph.js", deadlines: "./deadline_panel.js",
};
const root = document.documentElement;
const $ = id => document.getElementById(id);

// ---- light, dark, panels: kept by the browser ----
const dark = matchMedia("(prefers-color-scheme: dark)"), narrow = matchMedia("(max-width: 1180px)"), phone = matchMedia("(max-width: 600px)");
function paintTheme() {
  root.dataset.theme = storage.getItem("touchback theme") || (dark.matches ? "dark" : "light");
  dispatchEvent(new Event("themechange"));
}
dark.addEventListener("change", paintTheme);
$("theme").onclick = () => {
  storage.setItem("touchback theme", root.dataset.theme === "dark" ? "light" : "dark");
  paintTheme();
};
function setPanel(name, open) {
  root.dataset[name] = open ? "open" : "closed";
  document.querySelector(`[data-panel="${name}"]`).setAttribute("aria-pressed", String(open));
  dispatchEvent(new Event("resize"));
}
for (const button of document.querySelectorAll("[data-panel]")) {
  const name = button.dataset.panel, kept = storage.getItem(`touchback ${name}`);
  setPanel(name, kept ? kept === "open" : !(name === "bottom" ? phone : narrow).matches);
  button.onclick = () => {
    const open = root.dataset[name] === "closed";
    storage.setItem(`touchback ${name}`, open ? "open" : "closed");
    if (open && narrow.matches && name !== "bottom") setPanel(name === "left" ? "right" : "left", false);
    setPanel(name, open);
  };
}
addEventListener("keydown", e => {
  if (e.target.closest("input, textarea, select, dialog") || e.ctrlKey || e.metaKey || e.altKey) return;
  const name = { 1: "left", 2: "bottom", 3: "right" }[e.key];
  if (name) document.querySelector(`[data-panel="${name}"]`).click();
});

// ---- messages to the person ----
/** Shows a text for some seconds, or until it is closed when something is wrong; gives its box. */
export function note(text, kind = "") {
  const box = document.createElement("div"), words = document.createElement("span"), close = document.createElement("button");
  box.className = `note ${kind}`;
  words.textContent = text;
  close.textContent = "✕";
  close.setAttribute("aria-label", "close this message");
  close.onclick = () => box.remove();
  box.append(words, close);
  $("notes").append(box);
  while ($("notes").children.length > 4) $("notes").firstChild.remove();
  setTimeout(() => box.remove(), kind === "bad" ? 7000 : 5000);
  return box;
}

// ---- the run ----
paintTheme();
const bench = connect();
bench.note = note;
bench.try = message => bench.send(message).catch(error => { note(error.message, "bad"); return null; });
adaptFrameRate(bench);
bench.on("open", () => { $("state").textContent = "connected"; $("state").dataset.state = "running"; });
bench.on("closed", () => { $("state").textContent = "not connected"; $("state").dataset.state = "closed"; });
showDisconnected(bench, $("view"), ["transport", "left", "right"].map($));
bench.on("log", ({ text, bad }) => note(text, bad ? "bad" : ""));
bench.on("scene", scene => { $("title").textContent = scene.title; document.title = `${scene.title} · Touchback`; });
bench.on("trial", () => { // who came to drive sees the road, unless panels were opened before
  if (!root.dataset.trial) for (const name of ["left", "bottom", "right"]) if (!storage.getItem(`touchback ${name}`)) setPanel(name, false);
  root.dataset.trial = "yes";
});
bench.on("poses", ({ time }) => { $("clock").textContent = `${time.toFixed(3)} s`; });
bench.on("status", status => {
  const stopped = haltReason(status), state = stopped ? "held" : status.paused ? "paused" : "running";
  $("state").dataset.state = state;
  $("state").textContent = stopped || (state === "running" && status.speed && status.speed !== 1 ? `running × ${short(status.speed)}` : state);
});
window.bench = bench;
mountKeysHelp(bench, $("help"));

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
});

// A mechanism that was opened from the gallery explains itself.
if (new URLSearchParams(location.search).get("run")?.startsWith("gallery/")) {
  const stop = bench.on("open", () => { stop?.(); import("./play/mechanism_sentences.js").then(module => module.mount(document.querySelector("main"), bench)); });
}
