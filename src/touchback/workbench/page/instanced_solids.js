// Many solids of one form in one go: where a processor draws, a call takes as long as hundreds of triangles.
import { LINE, SOLID } from "./draw/render.js";
import { times } from "./draw/vectors.js";

const COLUMNS = [2, 3, 4, 5], TINT = 6, WIDTH = 20; // attributes: the model's columns, colour and glow; numbers of one

/** A shader whose model and colour come with each of the crowd. */
const each = ([vertex, fragment]) => [
  vertex.replace("uniform mat4 model;", "attribute vec4 m0, m1, m2, m3, tint; varying vec4 look;\n#define model mat4(m0, m1, m2, m3)\n")
    .replace("void main() {", "void main() { look = tint;"),
  fragment.replace("uniform vec4 colour;", "varying vec4 look;\n#define colour vec4(look.rgb, 1.0)\n").replace("uniform float glow;", "\n#define glow look.a\n"),
];
/** A shader whose model comes with each, and whose colour all share. */
const plain = ([vertex, fragment]) => [each([vertex, ""])[0], fragment];

export class InstancedSolids {
  /** @param {import("./draw/render.js").Renderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    this.many = renderer.gl.getExtension("ANGLE_instanced_arrays");
    if (!this.many) throw new Error("This browser can't draw many solids at once (ANGLE_instanced_arrays).");
    this.solid = renderer.program(each(SOLID));
    this.line = renderer.program(plain(LINE));
    this.groups = new Map(); // solid: {buffer, numbers, count}
  }

  /** Forgets who was there. */
  clear() { for (const group of this.groups.values()) group.count = 0; }

  add(solid, model, colour, glow) {
    let group = this.groups.get(solid);
    if (!group) this.groups.set(solid, group = { buffer: this.renderer.gl.createBuffer(), numbers: new Float32Array(4 * WIDTH), count: 0 });
    if (group.numbers.length < WIDTH * (group.count + 1)) {
      const more = new Float32Array(2 * group.numbers.length);
      more.set(group.numbers);
      group.numbers = more;
    }
    group.numbers.set(model, WIDTH * group.count);
    group.numbers.set(this.renderer.colour(colour), WIDTH * group.count + 16);
    group.numbers[WIDTH * group.count++ + 19] = glow;
  }

  /** Takes everybody to the card. */
  load() {
    const { gl } = this.renderer;
    for (const [solid, { buffer, numbers, count }] of this.groups) {
      if (!count) { gl.deleteBuffer(buffer); this.groups.delete(solid); continue; }
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers.subarray(0, WIDTH * count), gl.DYNAMIC_DRAW);
    }
  }

  paint() { this.draw(this.solid, "faces", 24, "TRIANGLES"); }

  edges(colour, alpha) {
    this.colour(colour, alpha);
    this.draw(this.line, "rims", 12, "LINES");
  }

  /** Everybody flattened onto the ground as one soft shadow; what overlaps isn't darker. */
  shadow(height, colour, alpha) {
    const { gl, camera } = this.renderer, [x, y, z] = [0.25, -0.18, 1]; // from above, whatever the eye does
    const flat = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -x / z, -y / z, 0, 0, height * x / z, height * y / z, height, 1]);
    gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR); gl.depthMask(false);
    this.colour(colour, alpha);
    gl.uniformMatrix4fv(this.line.view, false, times(camera.last.view, flat));
    this.draw(this.line, "faces", 24, "TRIANGLES");
    gl.uniformMatrix4fv(this.line.view, false, camera.last.view);
    gl.disable(gl.STENCIL_TEST); gl.depthMask(true);
  }

  colour(text, alpha) {
    this.renderer.use(this.line);
    this.renderer.gl.uniform4f(this.line.colour, ...this.renderer.colour(text), alpha);
  }

  draw(program, what, stride, mode) {
    const { gl } = this.renderer, { many } = this;
    this.renderer.use(program);
    for (const i of [...COLUMNS, TINT]) { gl.enableVertexAttribArray(i); many.vertexAttribDivisorANGLE(i, 1); }
    for (const [solid, { buffer, count }] of this.groups) {
      const part = solid[what];
      if (!part) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      [...COLUMNS, TINT].forEach((i, k) => gl.vertexAttribPointer(i, 4, gl.FLOAT, false, 4 * WIDTH, 16 * k));
      gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, stride, 0);
      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, stride, stride === 24 ? 12 : 0);
      many.drawArraysInstancedANGLE(gl[mode], 0, part.count, count);
    }
    for (const i of [...COLUMNS, TINT]) gl.disableVertexAttribArray(i);
  }
}
