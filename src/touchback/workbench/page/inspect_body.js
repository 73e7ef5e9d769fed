// A body: where it is, what it weighs, and what can be put on it.
import { h, short } from "./dom.js";
import { act, fact, triple, vector } from "./number_fields.js";

const TINY = 1e-7; // of the mechanism's size: poses come as float32

export function bodyPanel(content, bench, chosen) {
  const world = bench.world, name = chosen.name;
  if (!world.index?.has(name)) return null;
  const at = chosen.at || [0, 0, 0], place = fact("origin [m]", ""), turn = fact("turn [x y z w]", ""), point = fact("point [m]", "");
  const inertia = (bench.scene.inertias || []).find(each => each.body === name);
  const on = bench.scene.joints.filter(each => each.child.body === name || each.parent.body === name);
  content.append(h("h2", {}, name), h("table", { class: "facts" }, place, turn, point,
    inertia && fact("mass [kg]", short(inertia.mass)), inertia && fact("centre [m]", vector(inertia.at)),
    inertia?.moments && fact("moments [kg m²]", vector(inertia.moments))));
  content.append(h("div", { class: "row" },
    !bench.recorded && act("Force", "force", () => bench.icons.create("force", name, at)), !bench.recorded && act("Torque", "torque", () => bench.icons.create("torque", name, at)),
    act("Follow", "follow", () => bench.view.followSelected())));
  const target = triple("move point to", "m", world.run(world.at(name, at)), async to => {
    bench.tell("edited", await bench.send({ do: "pose", body: name, point: at, to }));
  });
  if (!bench.recorded) content.append(h("h3", {}, "Pose (when paused)"), target);
  content.append(h("h3", {}, "Joints"), h("div", { class: "row" }, ...on.map(each => act(each.name, "joint", () => bench.select({ kind: "joint", name: each.name })))));
  const told = (v, size) => v.map(x => Math.abs(x) < TINY * size ? 0 : x); // less than a frame's numbers can tell
  const move = () => {
    const { p, q } = world.pose(name), now = told(world.run(world.at(name, at)), world.radius);
    place.lastChild.textContent = vector(told(world.run(p), world.radius));
    turn.lastChild.textContent = vector(told(q, 1));
    point.lastChild.textContent = vector(now);
    target.refresh(now);
  };
  return { move };
}
