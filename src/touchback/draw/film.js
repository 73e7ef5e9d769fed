// A film in three dimensions: meshes with poses, bars between points, trails and forces. The page that it
// stands in holds its data, `film`, and all that it imports.
import { Camera } from "./camera.js";
import { Ground, SIGHT } from "./ground.js";
import { Renderer } from "./render.js";
import { sided } from "./solids.js";
import { norm, placed } from "./vectors.js";

const numbers = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
for (const each of [...film.pieces, ...film.bars, ...film.dots, ...film.trails, ...film.forces])
  for (const [key, value] of Object.entries(each)) if (typeof value === "string" && key.endsWith("_")) each[key.slice(0, -1)] = numbers(value);

const canvas = document.getElementById("view");
let renderer;
try { renderer = new Renderer(canvas); } catch (error) { document.getElementById("help").textContent = error.message; throw error; }
const camera = new Camera({ centre: film.centre, radius: film.radius, turn: film.turn, rise: film.rise, distance: 2.4 });
camera.listen(canvas);

const at = (array, instant) => Array.from(array.subarray(3 * instant, 3 * instant + 3));
for (const piece of film.pieces) piece.solid = renderer.load(sided(piece.triangles));
const roads = film.pieces.filter(each => each.paint).map(({ solid, R, p, paint, way }) =>
  ({ solid, p: at(p, 0), axes: [0, 1, 2].map(i => [R[i], R[3 + i], R[6 + i]]), paint, way }));
const pieces = film.pieces.filter(each => !each.paint), ground = roads.length ? new Ground(renderer) : null;
camera.sight = ground ? SIGHT : 0;
for (const each of film.trails) each.whole = renderer.lines(each.points);

// ---- a picture ------------------------------------------------------------------------------------
let shown = 0, playing = true, pace = 1, forces = true, trails = true;
const paper = () => getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
function draw() {
  const i = Math.min(Math.floor(shown), film.count - 1);
  renderer.begin(camera, ground ? Ground.paper(false) : paper());
  if (ground) ground.draw(roads, false);
  for (const bar of film.bars) renderer.bar(at(bar.a, i), at(bar.b, i), bar.radius, bar.colour);
  for (const each of film.dots) renderer.dot(at(each.points, i), each.radius, each.colour);
  if (trails) for (const { whole } of film.trails) {
    renderer.stroke(whole, null, film.accent, 0.35, "LINE_STRIP");
    renderer.stroke({ buffer: whole.buffer, count: i + 1 }, null, film.accent, 1, "LINE_STRIP");
  }
  if (forces) renderer.before(() => {
    for (const force of film.forces) {
      const way = at(force.way, i);
      if (norm(way) > 1e-3 * film.radius) renderer.arrow(at(force.from, i), way, 0.008 * film.radius, film.accent, 0.06 * film.radius);
    }
  });
  const model = p => { const R = p.R.subarray(9 * i, 9 * i + 9); return placed([R[0], R[3], R[6]], [R[1], R[4], R[7]], [R[2], R[5], R[8]], at(p.p, i)); };
  for (const piece of pieces) if (piece.alpha === 1) renderer.paint(piece.solid, model(piece), piece.colour);
  renderer.gl.depthMask(false);  // what shows through comes last
  for (const piece of pieces) if (piece.alpha < 1) renderer.paint(piece.solid, model(piece), piece.colour, piece.alpha);
  renderer.gl.depthMask(true);
  slider.value = i;
  clock.textContent = film.times[i].toFixed(film.digits) + " s";
}

// ---- hands ----------------------------------------------------------------------------------------
const [button, slider, clock, speed] = ["play", "slider", "clock", "pace"].map(id => document.getElementById(id));
slider.max = film.count - 1;
const play = on => { playing = on; button.textContent = on ? "❚❚" : "▶"; };
button.onclick = () => { if (!playing && shown >= film.count - 1) shown = 0; play(!playing); };
slider.oninput = () => { play(false); shown = +slider.value; };
speed.onchange = () => { pace = +speed.value; };
document.onkeydown = e => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (e.key === " ") { e.preventDefault(); button.onclick(); }
  else if (step) { e.preventDefault(); play(false); shown = Math.max(0, Math.min(film.count - 1, Math.floor(shown) + step)); }
  else if (e.key === "f" || e.key === "F") forces = !forces;
  else if (e.key === "t" || e.key === "T") trails = !trails;
};
let before = null;
function tick(now) {
  if (playing && before !== null) {
    shown += pace * (now - before) / 1000 * (film.count - 1) / film.seconds;
    if (shown >= film.count) shown = 0;
  }
  before = now;
  draw();
  requestAnimationFrame(tick);
}
tick(null);  // the first picture at once
