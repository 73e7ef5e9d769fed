// How a page looks as plain data (from where the mechanism is seen, scopes, parameters, panels), and as the fragment of a link, which no server
// is sent. Whatever comes from a link is checked: what isn't as it should be is refused as a whole.
import { add, sub } from "./draw/vectors.js";
import { eyesOf } from "./camera_follow.js";

const VERSION = 1, NAME = "look", LONGEST = 16000; // letters of a fragment
const FAR = 1e9, WORDS = 300, SCOPES = 6, TRACES = 12, VALUES = 500;
const KINDS = ["time", "xy", "spectrum"], WINDOWS = ["hann", "flat", "none"], ROOMS = ["left", "bottom", "right"], SCREENS = ["wide", "medium", "small"];

/** What a link can't be used for, in words. */
export class LinkError extends Error {}

// ---- what is allowed ----
const need = (true_, what) => { if (!true_) throw new LinkError(what); };
const among = (x, low, high, what) => { need(typeof x === "number" && x >= low && x <= high, `${what} is no number from ${low} to ${high}`); return x; };
const finite = (x, what) => { need(Number.isFinite(x), `${what} is no finite number`); return x; };
const word = (x, what) => { need(typeof x === "string" && x.length > 0 && x.length <= WORDS, `${what} is no text of at most ${WORDS} letters`); return x; };
const truth = (x, what) => { need(typeof x === "boolean", `${what} is neither true nor false`); return x; };
const list = (x, most, what, each) => { need(Array.isArray(x) && x.length <= most, `${what} is no list of at most ${most}`); return x.map(each); };
const record = (x, most, what, each) => {
  need(x && typeof x === "object" && !Array.isArray(x) && Object.keys(x).length <= most, `${what} is no set of at most ${most} names`);
  return Object.fromEntries(Object.entries(x).map(([name, value]) => [word(name, `a name of ${what}`), each(value, `'${name}' of ${what}`, name)]));
};
const point = (x, what) => { need(Array.isArray(x) && x.length === 3, `${what} is no point`); return x.map(each => among(each, -FAR, FAR, what)); };
const given = (x, keys) => Object.fromEntries(Object.entries(keys).filter(([key]) => x[key] !== undefined && x[key] !== null).map(([key, check]) => [key, check(x[key], key)]));
const whole = (x, what) => { need(x && typeof x === "object" && !Array.isArray(x), `${what} is missing`); return x; };

const span = (x, what) => among(x, 1e-4, 3600 * 24 * 7, what);
const checkScope = each => {
  whole(each, "a scope");
  need(KINDS.includes(each.kind), "a scope is of no kind that there is");
  const window = x => { need(WINDOWS.includes(x), "a spectrum has no window that there is"); return x; };
  return { kind: each.kind, signals: list(each.signals ?? [], TRACES, "the traces of a scope", x => word(x, "a trace")),
    ...given(each, { span, trail: span, seconds: span, window, log: truth, overlay: word, shift: (x, what) => among(x, -FAR, FAR, what), folded: truth, wide: (x, what) => among(x, 0.02, 50, what) }) };
};
const checkEye = x => ({ flat: truth(whole(x, "the eye").flat, "flat"), middle: point(x.middle, "the middle"), turn: among(x.turn, -1e3, 1e3, "turn"), rise: among(x.rise, -1.6, 1.6, "rise"),
  distance: among(x.distance, 0.1, 50, "distance"), radius: among(x.radius, 1e-9, FAR, "radius"),
  ...given(x, { spans: (both, what) => list(both, 2, what, each => among(each, 1e-9, FAR, what)), follow: word, seat: word, head: (both, what) => list(both, 2, what, each => among(each, -1e3, 1e3, what)) }) });
const checkPanels = x => given(whole(x, "the panels"), {
  open: open => given(whole(open, "open"), Object.fromEntries(SCREENS.map(name => [name, rooms => record(rooms, ROOMS.length, name, truth)]))),
  sizes: sizes => record(sizes, ROOMS.length, "sizes", (value, what) => among(value, 0, 1e4, what)),
  order: order => record(order, 2, "order", (ids, what) => list(ids, 40, what, id => word(id, what))),
  folded: folded => record(folded, 40, "folded", truth) });

/** Whether panels may be placed so. */
export const arePanels = x => { try { return Boolean(checkPanels(x)); } catch { return false; } };

/** A look of which everything is as it should be. */
export function checked(look) {
  need(look && look.v === VERSION, `it isn't of version ${VERSION}`);
  return { v: VERSION, of: word(look.of, "the mechanism's name"), ...given(look, { eye: checkEye, shown: shown => record(shown, 40, "what is shown", truth),
    scopes: scopes => list(scopes, SCOPES, "scopes", checkScope), values: values => record(values, VALUES, "values", finite), panels: checkPanels }) };
}

// ---- as a link ----
/** The page's own address with a look in its fragment. */
export function linkOf(look) {
  const letters = [...new TextEncoder().encode(JSON.stringify(look))].map(byte => String.fromCharCode(byte)).join("");
  const text = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (text.length > LONGEST) throw new LinkError(`The link would have ${text.length} letters; at most ${LONGEST} can be opened. Close a scope.`);
  return `${location.href.split("#")[0]}#${NAME}=${text}`;
}

/** The look in a fragment; null where there is none. */
export function lookIn(fragment) {
  const [name, text] = fragment.replace(/^#/, "").split("=", 2);
  if (name !== NAME) return null;
  need(text && text.length <= LONGEST, "it is empty or too long");
  let look;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
    look = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch { throw new LinkError("it was cut or altered on its way"); }
  return checked(look);
}

// ---- of this page ----
/** From where the mechanism is seen, in the run's coordinates; of a body that is followed, from that. */
function eyeOf({ view, world }) {
  const { eye, follow } = view, { middle, turn, rise, distance, radius, head, first } = eye, body = follow.body;
  const from = body ? sub(middle, world.pose(body).p) : world.run(middle);
  return { flat: view.flat, middle: from, turn, rise, distance, radius, spans: view.flat ? first.spans : undefined, follow: body ?? undefined, seat: follow.seat?.name, head: follow.seat ? head : undefined };
}

function takeEye({ view, world }, { flat, middle, turn, rise, distance, radius, spans, follow, seat, head }) {
  const place = eyesOf(world.scene).find(each => each.name === seat), body = follow && world.index.has(follow) ? follow : null;
  if (!seat && follow && !body) throw new LinkError(`there is no body '${follow}' to follow`);
  if (world.scene.flat) view.turn(flat);
  view.follow.ride(place);
  view.follow.set(body);
  const { eye } = view;
  Object.assign(eye, { turn, rise, distance, radius }, place ? { head: head || [0, 0] } : { middle: body ? add(world.pose(body).p, middle) : world.here(middle) });
  if (spans?.length === 2) eye.first.spans = spans;
  view.draw();
}

/** Whether a link may set what a row shows: a parameter, or the command of a joint. No other input: a link that turns a motor on would surprise whoever opens it. */
const settable = row => row?.kind === "parameter" || Boolean(row?.fact.label);
const inRange = ({ min, max }, value) => value >= (min ?? -Infinity) && value <= (max ?? Infinity);

/** Everything of a page that a link reproduces: parameters that differ from the model's, and commands of joints. */
export function lookOf(bench) {
  const { scene, view, scopes, sliders, layout } = bench;
  const values = Object.fromEntries([...sliders.rows].filter(([, row]) => settable(row) && row.value !== row.fact.default).map(([name, row]) => [name, row.value]));
  return { v: VERSION, of: scene.title, eye: eyeOf(bench), shown: { ...view.show }, scopes: scopes.told(), values, panels: layout.told() };
}

/** Makes a page look so; gives what couldn't be, in words. Of another mechanism only its panels are taken. */
export async function takeLook(bench, look) {
  const { scene, view, scopes, sliders, layout } = bench, left = [];
  if (look.panels) { layout.take(look.panels); layout.keep(); }
  if (look.of !== scene.title) return [`It is of '${look.of}': of '${scene.title}' only the panels were placed so.`];
  for (const [name, on] of Object.entries(look.shown || {})) if (Object.hasOwn(view.show, name)) view.setShown(name, on);
  if (look.eye) try { takeEye(bench, look.eye); } catch (error) { left.push(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`); }
  if (look.scopes) await scopes.take(look.scopes);
  const wanted = Object.entries(look.values || {});
  if (bench.recorded && wanted.length) left.push("A recording keeps the parameters that it was made with.");
  else if (wanted.length) {
    const named = list => `${list.slice(0, 5).map(([name]) => `'${name}'`).join(", ")}${list.length > 5 ? " …" : ""}`;
    const known = wanted.filter(([name]) => settable(sliders.rows.get(name))), unknown = wanted.filter(([name]) => !settable(sliders.rows.get(name)));
    if (unknown.length) left.push(`${named(unknown)} can't be set by a link.`);
    await sliders.setAll(Object.fromEntries(known.filter(([name, value]) => inRange(sliders.rows.get(name).fact, value))));
    const refused = known.filter(([name, value]) => sliders.rows.get(name)?.value !== value);
    if (refused.length) left.push(`${named(refused)} can't have the value of the link.`);
  }
  return left;
}
