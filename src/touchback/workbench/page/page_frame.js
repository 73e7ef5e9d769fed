// The frame of a page that shows a mechanism: light and dark, messages to the person, the clock and the state of what runs.
import { storage, tellBy } from "./browser_storage.js";
import { short } from "./dom.js";
import { haltReason } from "./server_connection.js";

const root = document.documentElement;
const $ = id => document.getElementById(id);

// ---- light, dark: kept by the browser ----
const dark = matchMedia("(prefers-color-scheme: dark)");
function paintTheme() {
  root.dataset.theme = storage.getItem("touchback theme") || (dark.matches ? "dark" : "light");
  dispatchEvent(new Event("themechange"));
}
dark.addEventListener("change", paintTheme);
$("theme").onclick = () => {
  storage.setItem("touchback theme", root.dataset.theme === "dark" ? "light" : "dark");
  paintTheme();
};

// ---- messages to the person ----
const shown = kind => kind === "bad" ? 7000 : 5000; // ms

/** Where messages are: in the modal dialog that is open, which lies over all else, or where the page has them. */
const home = $("notes").parentElement;
function settle() {
  const over = [...document.querySelectorAll("dialog:modal")].at(-1) || home;
  if ($("notes").parentElement !== over) over.append($("notes"));
}
addEventListener("close", e => { if (e.target.contains($("notes"))) settle(); }, true); // before the dialog is taken out

/** Shows a text for some seconds; one that is still shown is counted, and stays as long again. Gives its box. */
export function note(text, kind = "") {
  settle();
  const known = [...$("notes").children].find(each => each.said === text);
  if (known) {
    clearTimeout(known.timer);
    known.timer = setTimeout(() => known.remove(), shown(kind));
    known.firstChild.textContent = `${text} (${++known.times} times)`;
    return known;
  }
  const box = document.createElement("div"), words = document.createElement("span"), close = document.createElement("button");
  box.className = `note ${kind}`;
  words.textContent = text;
  close.textContent = "✕";
  close.setAttribute("aria-label", "close this message");
  close.onclick = () => box.remove();
  box.append(words, close);
  $("notes").append(box);
  while ($("notes").children.length > 4) $("notes").firstChild.remove();
  Object.assign(box, { said: text, times: 1, timer: setTimeout(() => box.remove(), shown(kind)) });
  return box;
}

paintTheme();
tellBy(text => note(text, "bad"));

/** Lets the header tell of a bench, and the bench tell the person. */
export function showRun(bench) {
  bench.note = note;
  bench.try = message => bench.send(message).catch(error => { note(error.message, "bad"); return null; });
  bench.on("log", ({ text, bad }) => note(text, bad ? "bad" : ""));
  bench.on("scene", scene => { $("title").textContent = $("title").title = scene.title; document.title = `${scene.title} · Touchback`; });
  bench.on("poses", ({ time }) => { $("clock").textContent = `${time.toFixed(3)} s`; });
  bench.on("status", status => {
    const stopped = haltReason(status), state = stopped ? "held" : status.paused ? "paused" : "running";
    $("state").dataset.state = state;
    $("state").textContent = stopped || (state === "running" && status.speed && status.speed !== 1 ? `running × ${short(status.speed)}` : state);
  });
}
