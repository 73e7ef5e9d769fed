// A film in three dimensions: meshes with poses, bars between points, trails and forces, by WebGL.
const numbers = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
for (const each of [...film.pieces, ...film.bars, ...film.dots, ...film.trails, ...film.forces])
  for (const [key, value] of Object.entries(each)) if (typeof value === "string" && key.endsWith("_")) each[key.slice(0, -1)] = numbers(value);

const canvas = document.getElementById("view");
const gl = canvas.getContext("webgl", { alpha: false, antialias: true, preserveDrawingBuffer: true });
if (!gl) document.getElementById("help").textContent = "This browser shows no WebGL.";

// ---- vectors and matrices (columns first) ----------------------------------------------------
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(...a);
const unit = a => { const n = norm(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
const at = (array, instant) => array.subarray(3 * instant, 3 * instant + 3);
function times(a, b) {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++)
    for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
const pose = (x, y, z, p) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...p, 1]);
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];

// ---- meshes: triangles with normals -----------------------------------------------------------
function mesh(triangles) {  // flat list of corners, nine numbers a triangle
  const data = [];
  for (let i = 0; i < triangles.length; i += 9) {
    const [a, b, c] = [0, 3, 6].map(o => Array.from(triangles.slice(i + o, i + o + 3)));
    const n = unit(cross(sub(b, a), sub(c, a)));
    data.push(...a, ...n, ...b, ...n, ...c, ...n);
  }
  return upload(data);
}
function upload(data) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
  return { buffer, count: data.length / 6 };
}
function ball(rings = 16) {  // smooth: its normals are its points
  const data = [], point = (i, j) => { const u = Math.PI * i / rings, v = Math.PI * j / rings;
    return [Math.sin(u) * Math.cos(v), Math.sin(u) * Math.sin(v), Math.cos(u)]; };
  for (let i = 0; i < rings; i++) for (let j = 0; j < 2 * rings; j++)
    for (const [a, b] of [[i, j], [i + 1, j], [i + 1, j + 1], [i, j], [i + 1, j + 1], [i, j + 1]]) {
      const p = point(a, b); data.push(...p, ...p); }
  return upload(data);
}
function tube(top = 1, sides = 20) {  // of radius 1 from z = 0 to 1; top 0: a cone
  const data = [], point = (j, z) => { const v = 2 * Math.PI * j / sides, r = z ? top : 1; return [r * Math.cos(v), r * Math.sin(v), z]; };
  const rim = j => { const v = 2 * Math.PI * j / sides; return [Math.cos(v), Math.sin(v), 0]; };
  for (let j = 0; j < sides; j++) {
    for (const [b, z] of [[j, 0], [j + 1, 0], [j + 1, 1], [j, 0], [j + 1, 1], [j, 1]]) data.push(...point(b, z), ...rim(b));
    for (const z of [0, 1]) for (const p of [[0, 0, z], point(j, z), point(j + 1, z)]) data.push(...p, 0, 0, z ? 1 : -1);
  }
  return upload(data);
}

// ---- the program --------------------------------------------------------------------------------
function program(vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made); gl.useProgram(made);
  return made;
}
const shader = program(`
  attribute vec3 point; attribute vec3 normal;
  uniform mat4 view; uniform mat4 model; varying vec3 n;
  void main() { n = mat3(model[0].xyz, model[1].xyz, model[2].xyz) * normal; gl_Position = view * model * vec4(point, 1.0); }`, `
  precision mediump float; uniform vec4 colour; uniform vec3 light; uniform float flat_; varying vec3 n;
  void main() { float s = flat_ > 0.5 ? 1.0 : 0.62 + 0.38 * abs(dot(normalize(n), light));
    gl_FragColor = vec4(colour.rgb * s, colour.a); }`);
const place = name => gl.getUniformLocation(shader, name);
const [uView, uModel, uColour, uLight, uFlat] = ["view", "model", "colour", "light", "flat_"].map(place);
const aPoint = gl.getAttribLocation(shader, "point"), aNormal = gl.getAttribLocation(shader, "normal");
gl.enableVertexAttribArray(aPoint); gl.enableVertexAttribArray(aNormal);
gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);

const rgb = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16) / 255);
const BALL = ball(), TUBE = tube(), CONE = tube(0);
for (const piece of film.pieces) piece.mesh = mesh(piece.triangles);

function paint(shape, model, colour, alpha = 1, mode = gl.TRIANGLES) {
  gl.bindBuffer(gl.ARRAY_BUFFER, shape.buffer);
  gl.vertexAttribPointer(aPoint, 3, gl.FLOAT, false, 24, 0);
  gl.vertexAttribPointer(aNormal, 3, gl.FLOAT, false, 24, 12);
  gl.uniformMatrix4fv(uModel, false, model);
  gl.uniform4f(uColour, ...rgb(colour), alpha);
  gl.uniform1f(uFlat, mode === gl.TRIANGLES ? 0 : 1);
  gl.drawArrays(mode, 0, shape.count);
}
function between(a, b, radius) {  // the pose of a tube from a to b
  const way = sub(b, a), z = unit(way), aside = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const x = unit(cross(aside, z)), y = cross(z, x);
  return pose(scaled(x, radius), scaled(y, radius), way, a);
}

// ---- camera -------------------------------------------------------------------------------------
const first = { turn: film.turn, rise: film.rise, distance: 2.4, x: 0, y: 0 };
let eye = { ...first };
function camera() {
  const ratio = canvas.width / canvas.height, r = film.radius, d = eye.distance * r * Math.max(1, 1 / ratio);
  const c = Math.cos(eye.rise), away = [c * Math.cos(eye.turn), c * Math.sin(eye.turn), Math.sin(eye.rise)];
  const right = [-Math.sin(eye.turn), Math.cos(eye.turn), 0], up = cross(away, right);
  const middle = film.centre.map((m, i) => m - r * (eye.x * right[i] + eye.y * up[i]));
  const from = middle.map((m, i) => m + d * away[i]);
  const look = new Float32Array([right[0], up[0], away[0], 0, right[1], up[1], away[1], 0,
    right[2], up[2], away[2], 0, -dot(right, from), -dot(up, from), -dot(away, from), 1]);
  const near = d / 50, far = d + 20 * r, f = 1 / Math.tan(0.42);
  const lens = new Float32Array([f / ratio, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
  gl.uniform3f(uLight, ...unit([away[0] + 0.3, away[1], away[2] + 0.8]));
  return times(lens, look);
}

// ---- a picture ------------------------------------------------------------------------------------
let shown = 0, playing = true, pace = 1, forces = true, trails = true;
const EYE4 = pose([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);
for (const each of film.trails) {
  const data = [];
  for (let i = 0; i < each.points.length; i += 3) data.push(...each.points.slice(i, i + 3), 0, 0, 1);
  each.line = upload(data);
}
function draw() {
  const i = Math.min(Math.floor(shown), film.count - 1);
  const [w, h] = [canvas.clientWidth, canvas.clientHeight].map(x => Math.round(x * devicePixelRatio));
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  gl.viewport(0, 0, w, h);
  gl.clearColor(...rgb(getComputedStyle(document.documentElement).getPropertyValue("--paper").trim()), 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.uniformMatrix4fv(uView, false, camera());
  for (const bar of film.bars) paint(TUBE, between(at(bar.a, i), at(bar.b, i), bar.radius), bar.colour);
  for (const dotted of film.dots) { const r = dotted.radius; paint(BALL, pose([r, 0, 0], [0, r, 0], [0, 0, r], at(dotted.points, i)), dotted.colour); }
  if (trails) for (const each of film.trails) {
    paint(each.line, EYE4, film.accent, 0.35, gl.LINE_STRIP);
    paint({ buffer: each.line.buffer, count: i + 1 }, EYE4, film.accent, 1, gl.LINE_STRIP);
  }
  if (forces) for (const force of film.forces) {
    const a = at(force.from, i), way = Array.from(at(force.way, i)), n = norm(way);
    if (n < 1e-3 * film.radius) continue;
    const head = Math.min(0.06 * film.radius, 0.5 * n), neck = a.map((x, k) => x + way[k] * (1 - head / n)), tip = a.map((x, k) => x + way[k]);
    paint(TUBE, between(a, neck, 0.008 * film.radius), film.accent);
    paint(CONE, between(neck, tip, 0.35 * head), film.accent);
  }
  const model = p => { const R = p.R.subarray(9 * i, 9 * i + 9); return pose([R[0], R[3], R[6]], [R[1], R[4], R[7]], [R[2], R[5], R[8]], at(p.p, i)); };
  for (const piece of film.pieces) if (piece.alpha === 1) paint(piece.mesh, model(piece), piece.colour);
  gl.depthMask(false);  // what shows through comes last
  for (const piece of film.pieces) if (piece.alpha < 1) paint(piece.mesh, model(piece), piece.colour, piece.alpha);
  gl.depthMask(true);
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
let held = null;
canvas.onpointerdown = e => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
canvas.onpointerup = () => { held = null; };
canvas.onpointermove = e => {
  if (!held) return;
  const [dx, dy] = [e.clientX - held[0], e.clientY - held[1]], size = Math.min(canvas.clientWidth, canvas.clientHeight);
  held = [e.clientX, e.clientY];
  if (e.shiftKey || e.buttons & 6) { eye.x += 2 * dx / size; eye.y -= 2 * dy / size; }
  else { eye.turn -= 4 * dx / size; eye.rise = Math.max(-1.57, Math.min(1.57, eye.rise + 4 * dy / size)); }
};
canvas.oncontextmenu = e => e.preventDefault();
canvas.onwheel = e => { e.preventDefault(); eye.distance = Math.max(0.3, Math.min(20, eye.distance * Math.exp(e.deltaY / 700))); };
canvas.ondblclick = () => { eye = { ...first }; };
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
