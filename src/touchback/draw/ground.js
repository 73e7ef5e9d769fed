// Roads, kerbs and walls under a sky: ground that fades into the horizon.
import { along, dot, placed, sub } from "./vectors.js";

export const SIGHT = 900; // m: how far the ground is seen
const GROUND = [`
  attribute vec3 point; attribute vec3 normal; uniform mat4 view; uniform mat4 model; varying vec3 n; varying vec3 world; varying vec3 own;
  void main() { vec4 p = model * vec4(point, 1.0); n = normal; world = p.xyz; own = point; gl_Position = view * p; }`, `
  precision highp float; uniform vec4 colour; uniform vec3 eye; uniform vec4 fade; uniform float glow;
  varying vec3 n; varying vec3 world; varying vec3 own;
  float grain(vec2 cell) { vec3 p = fract(vec3(mod(cell, 120.0).xyx) * 0.1031); p += dot(p, p.yzx + 33.33); return fract((p.x + p.y) * p.z) - 0.5; }
  void main() {
    vec3 m = normalize(n); if (dot(m, eye - world) < 0.0) m = -m;
    float far = distance(world, eye), seen = abs(glow) / max(abs(glow), 0.02 * far), light = 0.74 + 0.3 * max(dot(m, vec3(0.33, -0.24, 0.91)), 0.0);
    float rough = 0.07 * seen * grain(floor(own.xy / glow)) + 0.06 * exp(-far / 120.0) * grain(floor(own.xy / (20.0 * glow)));
    gl_FragColor = vec4(mix(colour.rgb * light + rough, fade.rgb, smoothstep(0.08 * fade.w, 0.95 * fade.w, far)), 1.0); }`];
const SKY = [`
  attribute vec3 point; attribute vec3 normal; uniform mat4 view; uniform mat4 model; varying vec3 own;
  void main() { own = point; gl_Position = view * (model * vec4(point, 1.0)); }`, `
  precision mediump float; uniform vec4 colour; uniform vec4 fade; varying vec3 own;
  void main() { gl_FragColor = vec4(mix(fade.rgb, colour.rgb, smoothstep(0.0, 0.55, own.z)), 1.0); }`];

/** Of each paint its colour by day, how far it lies above others at one place, and the size of its grain [m]. */
const PAINTS = {
  verge: ["#8fa67c", 0, 0.5], asphalt: ["#74787d", 1, 0.1], gravel: ["#b3a083", 2, 0.2], ice: ["#cfe4f0", 2, 0.4], belt: ["#4d5157", 2, 0.1],
  marking: ["#f6f6f0", 3, 0.1], kerb: ["#c9483f", 3, 0.2], "light kerb": ["#efece4", 3, 0.2], wall: ["#a39c92", 3, 0.2], "light wall": ["#bdb6ab", 3, 0.2],
};
const HORIZON = { light: "#e4ecf1", dark: "#2b3245" }, ZENITH = { light: "#86b1d6", dark: "#141a2b" }, DIM = 0.42; // of colours on dark pages

export class Ground {
  /** @param {import("./render.js").Renderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    this.ground = renderer.program(GROUND);
    this.sky = renderer.program(SKY);
  }

  /** What the picture is cleared with. */
  static paper(dark) { return HORIZON[dark ? "dark" : "light"]; }

  /** Draws pieces {solid, p, q as a matrix of axes, paint, way} below a sky, after the picture has begun. */
  draw(pieces, dark) {
    const { renderer, ground, sky } = this, { gl, camera } = renderer, { from } = camera.last, mode = dark ? "dark" : "light";
    const horizon = renderer.colour(HORIZON[mode]), far = 0.9 * SIGHT, part = renderer.known.dome.faces;
    gl.depthMask(false);
    this.use(sky, renderer.colour(ZENITH[mode]), horizon, placed([far, 0, 0], [0, far, 0], [0, 0, far], from));
    this.triangles(part);
    gl.depthMask(true);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    const known = pieces.map(each => [...(PAINTS[each.paint] || PAINTS.asphalt), each]).sort((a, b) => a[1] - b[1]);
    for (const [colour, layer, grain, { solid, axes, p, way }] of known) {
      const length = dot(way, way), count = length ? Math.round(dot(sub(from, p), way) / length) : 0;
      gl.polygonOffset(-layer, -4 * layer);
      this.use(ground, renderer.colour(colour).map(x => dark ? DIM * x : x), horizon, placed(...axes, along(p, way, count)));
      gl.uniform1f(ground.glow, grain);
      this.triangles(solid.faces);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  use(program, colour, horizon, model) {
    const { renderer } = this, { gl } = renderer;
    renderer.use(program);
    gl.uniformMatrix4fv(program.model, false, model);
    gl.uniform4f(program.colour, ...colour, 1);
    gl.uniform4f(program.fade, ...horizon, SIGHT);
  }

  triangles(part) {
    if (!part) return;
    const { gl } = this.renderer;
    gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    gl.drawArrays(gl.TRIANGLES, 0, part.count);
  }
}
