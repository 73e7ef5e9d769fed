// A joint or a loop: its markers, axis and coordinates; its kind, limits and friction to change; weld, free, tie.
import { h, short } from "./dom.js";
import { edit, EDITS } from "./constraint_edits.js";
import { act, choice, fact, number, vector } from "./number_fields.js";

const LOOPS = [["spherical", "ball"], ["point-in-plane", "point in a plane"], ["revolute", "pin about an axis"], ["prismatic", "slide along an axis"], ["fixed", "weld"], ["rod", "rod of this length"]];
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const OFTEN = 200; // ms between looks at coordinates

const marker = each => `${each.body}  ${vector(each.at)}`;
const axisName = axis => Object.keys(AXES).find(name => axis && AXES[name].every((x, i) => Math.abs(x - Math.abs(axis[i])) < 1e-9)) || "x";

/** Tells what the run knows of a joint, again and again, until it is ended. */
function watch(bench, name, tell) {
  let timer = null, ended = false;
  const ask = async () => {
    const found = await bench.send({ do: "joint", joint: name }).catch(() => null);
    if (ended) return;
    if (found) tell(found);
    timer = setTimeout(ask, OFTEN);
  };
  ask();
  return () => { ended = true; clearTimeout(timer); };
}

export function jointPanel(content, bench, chosen) {
  const joint = bench.scene.joints.find(each => each.name === chosen.name);
  if (!joint) return null;
  const send = message => bench.send(message).then(answer => bench.tell("edited", answer));
  const names = joint.coordinates, cells = names.map(() => h("td", { class: "number", "data-coordinate": true }, "…"));
  content.append(h("h2", {}, joint.name), h("p", { class: "soft small" }, `${joint.kind} joint: ${joint.parent.body} carries ${joint.child.body}`));
  content.append(h("table", { class: "facts" }, fact("on parent [m]", marker(joint.parent)), fact("on child [m]", marker(joint.child)),
    joint.axis && fact("axis", vector(joint.axis)),
    ...(bench.recorded ? [] : names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, `${name} [${joint.units?.[i] || ""}]`), cells[i])))));
  if (bench.recorded) return {};
  const axis = choice("axis", [["x", "x"], ["y", "y"], ["z", "z"]], axisName(joint.axis), () => {});
  const kind = choice("kind", [[joint.kind.toLowerCase(), joint.kind.toLowerCase()]], joint.kind.toLowerCase(), () => {}, { "data-field": "kind" }); // until the run says which there are
  const box = kind.querySelector("select");
  content.append(h("h3", {}, "Change its kind"), kind, axis, h("div", { class: "row" },
    act("Change", "change kind", () => edit(bench, EDITS.kind(joint.name, box.value, axis.querySelector("select").value)), { class: "first" }),
    act("Weld", "weld", () => edit(bench, EDITS.weld(joint.name))), act("Free", "free", () => edit(bench, EDITS.free(joint.name))),
    act("Motion", "motion", () => bench.icons.create("motion", joint.name))));
  const plain = ["Spherical", "Free"].includes(joint.kind) ? [] : names; // what has a range and rubs
  plain.forEach((name, i) => {
    const [low, high] = joint.limits?.[i] || [], unit = joint.units?.[i] || "", now = { low: low ?? -Infinity, high: high ?? Infinity };
    const change = end => x => { now[end] = x; return send(EDITS.limits(joint.name, i, finite(now.low), finite(now.high))); };
    content.append(h("h3", {}, names.length > 1 ? `Limits of ${name}` : "Limits"), number("from", unit, now.low, change("low"), { free: -Infinity }), number("to", unit, now.high, change("high"), { free: Infinity }));
  });
  plain.forEach((name, i) => content.append(
    number("friction", joint.units?.[i] === "m" ? "N" : "N m", joint.friction?.[i] ?? 0, x => send(EDITS.friction(joint.name, i, x)))));
  content.append(h("h3", {}, "Placement"), placement(bench, joint.name));
  let asked = false;
  return { end: watch(bench, joint.name, found => {
    found.coordinates.forEach((each, i) => { if (cells[i]) cells[i].textContent = short(each.value, 5); });
    if (asked) return;
    asked = true; // what it is and could become, in the run's own words
    box.replaceChildren(...found.kinds.map(each => h("option", { value: each }, each)));
    box.value = found.kind;
  }) };
}

const DH = "denavit-hartenberg", DH_FIELDS = [["a", "m"], ["α", "rad"], ["d", "m"], ["θ", "rad"]];

let lastWay = DH; // how somebody wrote a placement last

/** Where a joint sits on the body that carries it: position and Euler angles about moving axes, or Denavit–Hartenberg parameters. */
function placement(bench, name) {
  const fields = h("div", {}), from = h("p", { class: "soft small" });
  let found = null, typed = [];
  const way = choice("as", [[DH, "Denavit–Hartenberg"]], DH, () => draw(), { "data-field": "placement" }), box = way.querySelector("select");
  const draw = () => {
    if (!found) return;
    lastWay = box.value;
    const sequence = box.value === DH ? null : box.value;
    typed = sequence ? [...found.at, ...found.angles[sequence]] : [...found.parameters];
    const named = sequence ? [["x", "m"], ["y", "m"], ["z", "m"], ...[...sequence].map((axis, i) => [`${i + 1} about ${axis}`, "rad"])] : DH_FIELDS;
    from.textContent = sequence ? "On the body that carries it; turns about its own moving axes, in order."
      : `From the axis of ${found.before}: θ about z, d along z, a along the new x, α about it.`;
    fields.replaceChildren(...named.map(([label, unit], i) => number(label, unit, typed[i], x => { typed[i] = x; }, { "data-placement": label })));
  };
  const send = () => edit(bench, box.value === DH ? EDITS.placement(name, DH, typed) : EDITS.placement(name, "euler", typed, box.value));
  bench.send({ do: "joint", joint: name, placement: true }).then(answer => {
    found = answer.placement;
    box.append(...Object.keys(found.angles).map(each => h("option", { value: each }, `position, turns ${each}`)));
    box.value = lastWay;
    draw();
  }).catch(() => {}); // a run that has ended places nothing
  const panel = h("div", { class: "placement" }, way, from, fields, h("div", { class: "row" }, act("Place", "place", send)));
  return panel;
}

const finite = x => Number.isFinite(x) ? x : null;

export function loopPanel(content, bench, chosen) {
  const loop = bench.scene.loops.find(each => each.name === chosen.name);
  if (!loop) return null;
  const gap = fact("points apart [m]", ""), error = fact("largest error of all loops", "");
  content.append(h("h2", {}, loop.name), h("p", { class: "soft small" }, `loop, ${loop.kind}${loop.active ? "" : ", resting"}`),
    h("table", { class: "facts" }, fact("on", marker(loop.a)), fact("and", marker(loop.b)), gap, error),
    !bench.recorded && h("div", { class: "row" },
      act(loop.active ? "Let it rest" : "Let it act", "switch", () => edit(bench, { do: "switch", [loop.active ? "deactivate" : "activate"]: [loop.name] })),
      act("Remove", "remove loop", async () => { if (await edit(bench, EDITS.untie(loop.name))) bench.selectAfter({ kind: "loop", name: loop.name }, null); })));
  const move = () => {
    const [a, b] = [loop.a, loop.b].map(each => bench.world.at(each.body, each.at));
    gap.lastChild.textContent = short(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 2);
    error.lastChild.textContent = short(bench.status["constraint error"], 2);
  };
  return { move };
}

/** A loop to be: a line was drawn from one body to another. */
export function tiePanel(content, bench, chosen) {
  let n = 1;
  while (bench.scene.loops.some(each => each.name === `loop ${n}`)) n++;
  const name = h("input", { value: `loop ${n}`, "aria-label": "name of the loop" }), kind = choice("kind", LOOPS, bench.scene.flat ? "point-in-plane" : "spherical", () => {}, { "data-field": "kind" });
  content.append(h("h2", {}, "Tie two bodies"), h("table", { class: "facts" }, fact("from [m]", marker(chosen.a)), fact("to [m]", marker(chosen.b))),
    h("label", { class: "field" }, h("span", {}, "name"), name), kind,
    h("div", { class: "row" }, act("Tie", "tie", async () => {
      if (await edit(bench, EDITS.tie(name.value, kind.querySelector("select").value, chosen.a, chosen.b))) bench.selectAfter(chosen, { kind: "loop", name: name.value });
    }, { class: "first" }), act("Leave it", "cancel", () => bench.select(null))));
  return {};
}
