// Solids, lines, springs and arrows by WebGL, in soft light: what films and the workbench draw with.
import { ball, band, box, coil, dome, grid, sheet, tube } from "./solids.js";
import { across, along, between, norm, placed, scaled, unit } from "./vectors.js";

export const SOLID = [`
  attribute vec3 point; attribute vec3 normal;
  uniform mat4 view; uniform mat4 model; varying vec3 n; varying vec3 world;
  void main() {  // a normal turns like its axis and shrinks as that is stretched
    vec3 x = model[0].xyz, y = model[1].xyz, z = model[2].xyz;
    n = x * normal.x / max(dot(x, x), 1e-20) + y * normal.y / max(dot(y, y), 1e-20) + z * normal.z / max(dot(z, z), 1e-20);
    vec4 p = model * vec4(point, 1.0); world = p.xyz; gl_Position = view * p; }`, `
  precision mediump float; uniform vec4 colour; uniform vec3 light; uniform vec3 eye; uniform float glow;
  varying vec3 n; varying vec3 world;
  void main() {
    vec3 away = normalize(eye - world), m = normalize(n);
    if (dot(m, away) < 0.0) m = -m;
    float key = max(dot(m, light), 0.0), sky = 0.5 + 0.5 * m.z, rim = pow(1.0 - max(dot(m, away), 0.0), 3.0);
    float shine = pow(max(dot(m, normalize(light + away)), 0.0), 40.0);
    vec3 c = colour.rgb * (0.46 + 0.2 * sky + 0.42 * key) + vec3(0.10 * shine + 0.06 * rim + glow);
    gl_FragColor = vec4(c, colour.a); }`];
export const LINE = [`
  attribute vec3 point; uniform mat4 view; uniform mat4 model; varying vec3 world;
  void main() { vec4 p = model * vec4(point, 1.0); world = p.xyz; gl_Position = view * p; gl_Position.z -= 2e-4 * gl_Position.w; }`, `
  precision mediump float; uniform vec4 colour; uniform vec4 fade; varying vec3 world;
  void main() { float far = fade.w > 0.0 ? clamp(1.0 - distance(world, fade.xyz) / fade.w, 0.0, 1.0) : 1.0;
    gl_FragColor = vec4(colour.rgb, colour.a * far); }`];
const SMALL = 12, FEW = 12; // px: what has a smaller radius looks round with a few sides
const STILL = placed([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);

/** Whether a processor does a graphics card's work: then smooth edges would take three times as long. */
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl"), about = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  if (gl) gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export const rgb = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16) / 255);

export class Renderer {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const smooth = canvas.dataset.smooth ? canvas.dataset.smooth === "yes" : !inSoftware();
    const gl = this.gl = canvas.getContext("webgl", { alpha: false, antialias: smooth, stencil: true });
    if (!gl) throw new Error("This browser shows no WebGL.");
    this.programs = [];
    this.solid = this.program(SOLID);
    this.line = this.program(LINE);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.enableVertexAttribArray(0); gl.enableVertexAttribArray(1);
    this.known = { ball: ball(), dome: dome(), tube: tube(), pipe: tube(1, false), cone: tube(0), box: box(), sheet: sheet(), grid: grid(10), coil: coil() };
    this.small = { ...this.known, ball: ball(FEW / 2), dome: dome(FEW / 4), tube: tube(1, true, FEW), pipe: tube(1, false, FEW), cone: tube(0, true, FEW) };
    for (const each of new Set([...Object.values(this.known), ...Object.values(this.small)])) this.load(each);
    this.bands = new Map();
    this.colours = new Map();
  }

  program([vertex, fragment]) {
    const gl = this.gl, made = gl.createProgram(), found = { made };
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    ["point", "normal", "m0", "m1", "m2", "m3", "tint"].forEach((name, i) => gl.bindAttribLocation(made, i, name));
    gl.linkProgram(made);
    for (const name of ["view", "model", "colour", "light", "eye", "glow", "fade"]) found[name] = gl.getUniformLocation(made, name);
    this.programs.push(found);
    return found;
  }

  /** Gives a solid its buffers on the card. */
  load(solid) {
    const gl = this.gl, put = (data, width) => {
      if (!data || !data.length) return null;
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data instanceof Float32Array ? data : new Float32Array(data), gl.STATIC_DRAW);
      return { buffer, count: data.length / width };
    };
    solid.faces = put(solid.corners, 6); solid.rims = put(solid.edges, 3); solid.strip = put(solid.line, 3);
    return solid;
  }

  unload(solid) { for (const each of [solid.faces, solid.rims, solid.strip]) if (each) this.gl.deleteBuffer(each.buffer); }

  bandOf(start, end) {
    const key = `${start} ${end}`;
    if (!this.bands.has(key)) this.bands.set(key, this.load(band(start, end)));
    return this.bands.get(key);
  }

  colour(text) {
    if (!this.colours.has(text)) this.colours.set(text, rgb(text));
    return this.colours.get(text);
  }

  /** Clears the paper and sets camera and light for what follows. */
  begin(camera, paper) {
    const gl = this.gl, canvas = this.canvas, dense = Math.min(devicePixelRatio || 1, 2);
    const [w, h] = [canvas.clientWidth, canvas.clientHeight].map(x => Math.max(1, Math.round(x * dense)));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    const shot = camera.shot(w / h);
    this.camera = camera;
    gl.viewport(0, 0, w, h);
    gl.clearColor(...this.colour(paper), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    const light = unit([0.55 * shot.away[0] + 0.35 * shot.right[0], 0.55 * shot.away[1] + 0.35 * shot.right[1], 0.9]);
    for (const each of this.programs) {
      this.use(each);
      gl.uniformMatrix4fv(each.view, false, shot.view);
      gl.uniform3f(each.light, ...light);
      gl.uniform3f(each.eye, ...shot.from);
    }
  }

  use(program) { if (this.used !== program) { this.gl.useProgram(program.made); this.used = program; } }

  /** The solids for something of this radius at a point: drawing takes as long as it has sides, where a processor draws. */
  round(p, radius) { return radius < SMALL * this.camera.perPixel(p, this.canvas.clientHeight) ? this.small : this.known; }

  /** Fills a solid; `glow` lights it up. */
  paint(solid, model, colour, alpha = 1, glow = 0) {
    const gl = this.gl, program = this.solid, part = solid.faces;
    if (!part) return;
    this.use(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    gl.uniformMatrix4fv(program.model, false, model);
    const c = this.colour(colour);
    gl.uniform4f(program.colour, c[0], c[1], c[2], alpha);
    gl.uniform1f(program.glow, glow);
    gl.drawArrays(gl.TRIANGLES, 0, part.count);
  }

  /** Draws lines of a buffer with three numbers a point; they fade `fade` = [x, y, z, reach] away. */
  stroke(part, model, colour, alpha = 1, mode = "LINES", fade = [0, 0, 0, 0]) {
    if (!part) return;
    const gl = this.gl, program = this.line, c = this.colour(colour);
    this.use(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 12, 0);
    gl.uniformMatrix4fv(program.model, false, model || STILL);
    gl.uniform4f(program.colour, c[0], c[1], c[2], alpha);
    gl.uniform4f(program.fade, ...fade);
    gl.drawArrays(gl[mode], 0, part.count);
  }

  edges(solid, model, colour, alpha = 0.55) { this.stroke(solid.rims, model, colour, alpha); }

  bar(a, b, radius, colour, alpha = 1, glow = 0) { this.paint(this.round(a, radius).tube, between(a, b, radius), colour, alpha, glow); }
  dot(p, radius, colour, glow = 0) { this.paint(this.round(p, radius).ball, placed([radius, 0, 0], [0, radius, 0], [0, 0, radius], p), colour, 1, glow); }
  spring(a, b, radius, colour) { this.stroke(this.known.coil.strip, between(a, b, radius), colour, 1, "LINE_STRIP"); }

  /** An arrow from a along `way`; short ones have small heads. */
  arrow(a, way, radius, colour, head = 6 * radius) {
    const length = norm(way);
    if (length < 1e-12) return;
    const tip = Math.min(head, 0.5 * length), neck = along(a, way, 1 - tip / length);
    this.bar(a, neck, radius, colour);
    this.paint(this.round(a, 0.36 * tip).cone, between(neck, along(a, way, 1), 0.36 * tip), colour);
  }

  /** Draws in front of everything: an arrow may lie inside of the body that it pushes. */
  before(draw) {
    const { gl } = this;
    gl.depthRange(0, 0.05);
    draw();
    gl.depthRange(0, 1);
  }

  /** Axes of a frame in red, green and blue. */
  axes(p, x, y, z, length) {
    [[x, "#d1495b"], [y, "#3a8f5c"], [z, "#2f6fb0"]].forEach(([way, colour]) => this.arrow(p, scaled(way, length), 0.03 * length, colour, 0.22 * length));
  }

  /** A ring segment about `axis`, for joints. */
  ring(p, axis, radius, width, colour) {
    const [x, y] = across(axis);
    this.paint(this.bandOf(0, 2 * Math.PI), placed(scaled(x, radius), scaled(axis, width), scaled(y, -radius), p), colour);
  }

  /** Keeps changing lines in one buffer: gives what `stroke` takes. */
  lines(points, kept) {
    const gl = this.gl, part = kept || { buffer: gl.createBuffer(), count: 0 };
    gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    part.count = points.length / 3;
    return part;
  }
}
