// The virtual wall: the pointer is the hand's wish; the wall is computed once a sample, and may chatter.
import { $, begin, canvasOf, colour, label, make, note } from "./play_page.js";

const ROW = 2, KEPT = 1.0, REACH = 0.03; // s of the scope; m to either side that the hand may wish
const BEYOND = 0.045, ROOM = [8, 80]; // m outside that are drawn, as the handle swings past its wish; px beside them, for the handle and the hand
const bench = begin("Wall");
const rows = []; // [time s, handle m, wall force N, energy J, hand m]
const page = window.play = { bench, rows };
let hand = 0.01;

// ---- pushing ----
const box = document.querySelector("#bench .plot");
function push(to) {
  hand = Math.min(Math.max(to, -REACH), REACH);
  box.setAttribute("aria-valuenow", (1000 * hand).toFixed(1));
  bench.send({ do: "push", to: hand }).catch(error => note(error.message, "bad"));
}
const scale = width => (width - ROOM[0] - ROOM[1]) / (REACH + BEYOND); // px a metre
const wished = event => {
  const { left, width } = box.getBoundingClientRect();
  return (event.clientX - left - ROOM[0]) / scale(width) - REACH;
};
box.addEventListener("pointerdown", event => { box.setPointerCapture(event.pointerId); page.holding = true; push(wished(event)); });
box.addEventListener("pointermove", event => { if (page.holding) push(wished(event)); });
for (const kind of ["pointerup", "pointercancel"]) box.addEventListener(kind, () => { page.holding = false; push(0.01); });
addEventListener("keydown", event => { // wherever the focus is, but where arrows change a value
  if (event.target.closest?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const by = { ArrowLeft: -0.001, ArrowRight: 0.001, PageDown: -0.005, PageUp: 0.005 }[event.key];
  if (by) { event.preventDefault(); push(hand + by); }
});

// ---- what it is made of ----
function show(wall) {
  page.wall = wall;
  if (!$("controller").children.length) {
    for (const name of wall.controllers) $("controller").append(make("option", { text: name, value: name }));
    for (const rate of wall.rates) $("rate").append(make("option", { text: `${rate} Hz`, value: rate }));
  }
  $("controller").value = wall.controller;
  $("rate").value = wall.rate;
  $("stiffness").value = Math.log10(wall.stiffness);
  $("stiffness-told").textContent = `${wall.stiffness.toFixed(0)} N/m`;
  $("felt").hidden = wall.felt >= wall.stiffness;
  $("felt").textContent = `It looks ahead, and is ${wall.felt.toFixed(0)} N/m: a contact lasts two samples at least.`;
  $("bound").textContent = wall.bound === null ? "no such bound" : `${wall.bound.toFixed(0)} N/m`;
  $("bound").title = wall.bound === null ? "Colgate's condition needs a force that follows from sampled positions alone: this wall is told the velocity, or looks ahead." : "";
}
const change = what => bench.try({ do: "wall", ...what });
$("controller").onchange = () => change({ controller: $("controller").value });
$("rate").onchange = () => change({ rate: Number($("rate").value) });
$("stiffness").oninput = () => { $("stiffness-told").textContent = `${(10 ** $("stiffness").value).toFixed(0)} N/m`; };
$("stiffness").onchange = () => change({ stiffness: 10 ** Number($("stiffness").value) });
bench.on("open", () => bench.send({ do: "wall" }).then(show).catch(error => note(error.message, "bad")));
bench.on("wall", show);

// ---- what happens ----
bench.on("rows", ({ subscription, count, time, numbers }) => {
  if (subscription !== ROW) return;
  const width = numbers.length / count;
  for (let i = 0; i < count; i++) {
    const row = Array.from(numbers.subarray(width * i, width * (i + 1)));
    row[0] += time;
    rows.push(row);
  }
  const now = rows[rows.length - 1][0];
  while (rows.length && rows[0][0] < now - KEPT) rows.shift();
  drawBench();
  drawScope();
});

/** Crossings a second, energy, and whether the wall is alive: it moves while the hand holds still, or has given energy. */
export function figures(all) {
  let crossings = 0, least = Infinity, most = -Infinity;
  for (let i = 1; i < all.length; i++) if ((all[i][1] < 0) !== (all[i - 1][1] < 0)) crossings++;
  let rise = 0;
  for (const row of all) { least = Math.min(least, row[3]); rise = Math.max(rise, row[3] - least); most = Math.max(most, row[3]); }
  const half = all.slice(-Math.floor(all.length / 2)), still = half.length && Math.max(...half.map(r => r[4])) - Math.min(...half.map(r => r[4])) < 2e-4;
  const inside = half.filter(row => row[1] < 0).length > 0;
  const moves = half.length ? Math.max(...half.map(r => r[1])) - Math.min(...half.map(r => r[1])) : 0;
  return { crossings: crossings / KEPT, rise, total: all.length ? all[all.length - 1][3] : 0, chatters: Boolean(still && inside && moves > 1e-4), moves, inside };
}

function tell() {
  const last = rows[rows.length - 1], found = page.figures = figures(rows);
  $("force-now").textContent = `${last[2].toFixed(1)} N`;
  $("crossings").textContent = `${found.crossings.toFixed(0)} /s`;
  $("gave").textContent = `${(1000 * found.total).toFixed(2)} mJ`;
  $("most").textContent = `${(1000 * found.rise).toFixed(2)} mJ`;
  const verdict = $("verdict"), held = hand < 0; // by pointer or keys
  if (found.chatters) verdict.textContent = `It chatters: held still, the handle moves by ${(1000 * found.moves).toFixed(1)} mm, fed by the wall.`;
  else if (held && last[1] < 0) verdict.textContent = "It holds still, as a wall should.";
  else verdict.textContent = "Push, hold still, and see whether it comes to rest. Then raise the stiffness or lower the rate.";
  verdict.classList.toggle("bad", found.chatters);
}

const drawBench = canvasOf($("bench"), (c, width, height) => {
  if (rows.length) tell(); // once a frame: more blocks may come than are drawn
  const x = metre => ROOM[0] + scale(width) * (metre + REACH), middle = height / 2;
  const handle = rows.length ? rows[rows.length - 1][1] : 0.01, wish = rows.length ? rows[rows.length - 1][4] : 0.01;
  const shaken = rows.slice(-120);
  c.fillStyle = colour("--fill");
  c.fillRect(0, 0, x(0), height);
  c.strokeStyle = colour("--grid");
  c.lineWidth = 1;
  c.beginPath();
  for (let k = 0; k < x(0) + height; k += 16) { c.moveTo(k, 0); c.lineTo(k - 0.4 * height, height); }
  c.stroke();
  c.fillStyle = colour("--paper");
  c.fillRect(x(0), 0, width - x(0), height);
  c.strokeStyle = colour("--ink");
  c.lineWidth = 3;
  c.beginPath(); c.moveTo(x(0), 0); c.lineTo(x(0), height); c.stroke();
  for (const row of shaken) { c.fillStyle = "rgb(217 98 63 / 4%)"; c.fillRect(x(row[1]), middle - 46, 26, 92); }
  page.edges = () => [Math.min(x(handle), x(wish) + 48), Math.max(x(handle) + 26, x(wish) + 72)]; // px, of handle and hand
  spring(c, x(handle) + 26, x(wish) + 60, middle, colour("--soft"));
  c.fillStyle = colour("--accent");
  c.fillRect(x(handle), middle - 40, 26, 80);
  c.fillStyle = colour("--curve-1");
  c.beginPath(); c.arc(x(wish) + 60, middle, 12, 0, 7); c.fill();
  c.font = "12px system-ui";
  label(c, "wall", 10, 20);
  label(c, "hand", x(wish) + 48, middle + 30);
  label(c, `${(1000 * handle).toFixed(1)} mm`, x(handle), middle - 50);
});

function spring(c, a, b, y, ink) {
  c.strokeStyle = ink;
  Object.assign(c, { lineWidth: 2, lineJoin: "round" }); // without it a short spring has long spikes
  c.beginPath();
  c.moveTo(a, y);
  for (let i = 1; i < 16; i++) c.lineTo(a + (b - a) * i / 16, y + (i % 2 ? 9 : -9));
  c.lineTo(b, y);
  c.stroke();
}

const drawScope = canvasOf($("scope"), (c, width, height) => {
  const lanes = [["force [N]", 2, "--curve-2", 1], ["handle [mm]", 1, "--curve-1", 1000], ["energy given [mJ]", 3, "--curve-3", 1000]];
  const now = rows.length ? rows[rows.length - 1][0] : 0, tall = height / lanes.length;
  c.font = "11px system-ui";
  lanes.forEach(([name, column, ink, factor], k) => {
    const values = rows.map(row => factor * row[column]), low = Math.min(0, ...values), high = Math.max(0.001, ...values);
    const y = value => tall * (k + 1) - 6 - (tall - 26) * (value - low) / (high - low);
    c.strokeStyle = colour("--line");
    c.beginPath(); c.moveTo(0, y(0)); c.lineTo(width, y(0)); c.stroke();
    c.strokeStyle = colour(ink);
    c.lineWidth = 1.5;
    c.beginPath();
    rows.forEach((row, i) => c.lineTo(width * (1 - (now - row[0]) / KEPT), y(values[i])));
    c.stroke();
    label(c, `${name}   ${low.toFixed(1)} … ${high.toFixed(1)}`, 6, tall * k + 12);
  });
});
