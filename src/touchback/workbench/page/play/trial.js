// The blind trial: a key is felt, what it is stays hidden on the server until all is answered.
import { $, begin, canvasOf, colour, make, note } from "./play_page.js";
import { haltReason } from "/server_connection.js";
import { Force } from "./force_curve.js";
import { figureOf } from "./psychometric_plot.js";

const ROW = 2, DEEPEST = 0.04; // m that the pointer can wish
const bench = begin("Blind trial");
const force = new Force($("force"), 8);
const page = window.play = { bench, force };
const box = document.querySelector("#bench .plot");
let depth = 0, wish = 0;

function press(to) {
  if (page.trial.wired) return;
  wish = Math.min(Math.max(to, 0), DEEPEST);
  box.setAttribute("aria-valuenow", (1000 * wish).toFixed(0));
  bench.send({ do: "press", note: page.trial.note, depth: wish }).catch(error => note(error.message, "bad"));
}
const wished = event => {
  const { top, height } = box.getBoundingClientRect();
  return DEEPEST * (event.clientY - top) / height;
};
box.addEventListener("pointerdown", event => { box.setPointerCapture(event.pointerId); page.holding = true; press(wished(event)); });
box.addEventListener("pointermove", event => { if (page.holding) press(wished(event)); });
for (const kind of ["pointerup", "pointercancel"]) box.addEventListener(kind, () => { page.holding = false; press(0); });
box.addEventListener("keydown", event => {
  if (event.key === " " && !event.repeat) press(0.025);
  const by = { ArrowDown: 0.001, ArrowUp: -0.001 }[event.key];
  if (by) press(wish + by);
  if (by || event.key === " ") event.preventDefault();
});
box.addEventListener("keyup", event => { if (event.key === " ") press(0); });

const feltTouch = trial => `${trial.answered} ${trial.touch ?? ""}`;

function show(trial) {
  const fresh = !page.trial || feltTouch(page.trial) !== feltTouch(trial);
  page.trial = trial;
  if (fresh) { force.clear(); page.felt = false; }
  $("where").textContent = trial.done ? "All answered" : `Trial ${trial.answered + 1}${trial.count ? ` of ${trial.count}` : ""}: ${trial.touches ? "" : "touch "}${trial.label}`;
  $("touch").hidden = trial.done || !trial.touches;
  $("touch").textContent = `Touch ${trial.touch} of ${trial.touches}`;
  const last = !trial.touches || trial.touch === trial.touches;
  $("question").textContent = trial.done ? "Thank you." : last ? trial.question : "Press the key, then go on.";
  if (trial.wired) $("how").textContent = "the one on the wire, under your own finger";
  $("choices").replaceChildren(...(trial.done ? [] : last ? trial.choices.map(reply) : [onward(trial)]));
  $("result").hidden = !trial.done;
  if (trial.done) result(trial);
  allow();
}

const reply = text => make("button", { text: page.trial.touches ? `Touch ${text}` : text, onclick: () => bench.try({ do: "reply", text, trial: page.trial.answered + 1 }) });
const onward = trial => make("button", { id: "onward", text: `Go on to touch ${trial.touch + 1}`, onclick: () => bench.try({ do: "onward" }) });

/** Each touch is to be felt, and over, before anything goes on. */
function allow(rows = []) {
  if (!page.trial) return;
  const [deep, strong] = page.trial.firm, firm = row => row[1] > deep && row[2] > strong;
  if (rows.some(firm)) page.felt = true;
  if (rows.length) page.down = firm(rows[rows.length - 1]);
  const over = page.felt && !page.down;
  for (const button of $("choices").children) if (button.disabled === over) button.disabled = !over;
}

function result(trial) {
  $("file").textContent = trial.file
    ? `Answers are kept in ${trial.file}.`
    : "Answers are gone when the page's server ends; `--answers FILE.jsonl` keeps them.";
  const found = trial.threshold;
  $("again").hidden = Boolean(found); // a threshold's session was begun by a command, which reports it
  $("result-title").textContent = found ? "What you can tell" : "What was behind the letters";
  $("figure").hidden = !found;
  if (found) {
    $("table").replaceChildren(...found.said.map(text => make("tr", {}, make("td", { class: "said", text }))));
    page.figure ??= figureOf($("result"), found);
    return;
  }
  $("table").replaceChildren(make("tr", {}, make("th", { text: "it was" }), make("th", { text: "and was called" })));
  for (const [condition, counts] of Object.entries(trial.table)) {
    const called = Object.entries(counts).map(([answer, count]) => `${answer} × ${count}`).join(", ");
    $("table").append(make("tr", {}, make("td", { text: condition }), make("td", { text: called || "–" })));
  }
}

bench.on("open", () => bench.send({ do: "trial" }).then(show).catch(error => note(error.message, "bad")));
bench.on("trial", show);
$("again").onclick = () => bench.try({ do: "again" });
bench.on("status", status => {
  const why = haltReason(status);
  $("halt").textContent = why ? "Let the key go on" : "Stop the key";
  $("halt").onclick = () => bench.try({ do: why ? "resume" : "stop" });
  $("halted").textContent = why ? `The key stands still (${why}); this trial is felt again.` : "";
});
bench.on("rows", ({ subscription, count, time, numbers }) => {
  if (subscription !== ROW) return;
  const width = numbers.length / count;
  const rows = Array.from({ length: count }, (_, i) => Array.from(numbers.subarray(width * i, width * (i + 1))));
  for (const row of rows) row[0] += time;
  depth = rows[count - 1][1];
  force.feel(rows);
  allow(rows);
  draw();
});

const draw = canvasOf($("bench"), (c, width, height) => {
  const left = 0.12 * width, right = 0.88 * width, thick = Math.max(16, 0.1 * height), y = 0.3 * height;
  const tilt = Math.atan2(30 * Math.max(depth, 0) * height, right - left); // 10 mm are three tenths of the picture
  c.fillStyle = colour("--fill");
  c.fillRect(left, y + thick + 0.33 * height, 60, 6);
  c.save();
  c.translate(right, y);
  c.rotate(-tilt);
  c.fillStyle = "#fdfbf4";
  c.strokeStyle = "#9a9cae";
  c.fillRect(left - right, 0, right - left, thick);
  c.strokeRect(left - right, 0, right - left, thick);
  c.restore();
  c.fillStyle = colour("--ink");
  c.beginPath(); c.moveTo(right, y + thick); c.lineTo(right - 14, y + thick + 24); c.lineTo(right + 14, y + thick + 24); c.fill();
  const tip = y + Math.sin(tilt) * (right - left);
  c.fillStyle = colour("--curve-1");
  c.beginPath(); c.arc(left + 24, tip - 13 - (wish > 0 ? 0 : 8), 12, 0, 7); c.fill();
  c.fillStyle = colour("--soft");
  c.font = "12px system-ui";
  c.fillText(`${(1000 * Math.max(depth, 0)).toFixed(1)} mm`, left, tip + thick + 22);
});
