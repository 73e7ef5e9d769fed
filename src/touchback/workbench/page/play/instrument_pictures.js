// What is behind the keys of each instrument but the piano, from the side: parts with names and a sentence, moved by the rows of the key in focus.
// Lengths are of a picture of 640 × 240; what moves at the key is drawn larger than it is (`LARGER` picture units a millimetre).
const SVG = "http://www.w3.org/2000/svg", INK = "#3d405b", LARGER = 3, REACH = 280; // of a lever's arm to either side of its pin
const WOOD = "#d9b382", METAL = "#8d99ae", FELT = "#a4383f", RAIL = "#cfd3dc", AIR = "#dcebf5", LIT = "#f2b84b", DARK = "#6b4f3a";
const PIN = [320, 196]; // of a key lever in the middle

const tag = (name, attributes, ...children) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const look = fill => ({ fill, stroke: INK, "stroke-width": 0.8, "stroke-linejoin": "round" });
const box = (x, y, width, height, fill = WOOD) => tag("rect", { x, y, width, height, ...look(fill) });
const polygon = (points, fill = WOOD) => tag("polygon", { points, ...look(fill) });
const disc = (cx, cy, r, fill) => tag("circle", { cx, cy, r, ...look(fill) });
const line = (d, width = 1.4, stroke = INK) => tag("path", { d, fill: "none", stroke, "stroke-width": width, "stroke-linecap": "round" });
const words = (x, y, text, anchor = "start") => tag("text", { x, y, "font-size": 9, "text-anchor": anchor, fill: "#5f6484" }, text);

/** A zigzag between two heights. */
const zigzag = (x, top, bottom, wide = 7, turns = 7) => {
  const points = Array.from({ length: turns + 1 }, (_, i) => `${x + (i === 0 || i === turns ? 0 : i % 2 ? wide : -wide)} ${top + (bottom - top) * i / turns}`);
  return `M${points.join("L")}`;
};
const shift = (x, y) => `translate(${x.toFixed(2)} ${y.toFixed(2)})`;
const up = (element, y) => element.setAttribute("transform", shift(0, y));

/** A part under a name: a group that says it when it is pointed at. */
export const part = (name, about, ...shapes) => {
  const group = tag("g", { "data-part": name, "data-about": about }, tag("title", {}, `${name}: ${about}`), ...shapes);
  return group;
};

/** The key on its pin in the middle; `turn(depth in m)` presses its front, `rise(depth, x)` is how far it has come up at a place. */
function lever() {
  const [x, y] = PIN;
  const key = part("key", "A lever on a balance pin; the finger presses its front, and what is behind it pushes back.",
    box(x - REACH - 10, y - 18, 2 * REACH + 20, 18), box(x - REACH - 11, y - 21, 110, 3, "#fbf7ea"));
  const pin = part("balance pin", "The key turns about it.", polygon(`${x - 9},${y + 20} ${x + 9},${y + 20} ${x},${y}`, RAIL));
  const angle = depth => Math.asin(Math.min(1000 * depth * LARGER / REACH, 0.9));
  return {
    parts: [pin, key],
    turn: depth => key.setAttribute("transform", `rotate(${(-angle(depth) * 180 / Math.PI).toFixed(3)} ${x} ${y})`),
    rise: (depth, at) => (at - x) * Math.tan(angle(depth)),
  };
}

/** The bed that ends the stroke at a depth [m]. */
const bedAt = () => part("key bed", "Felt that ends the stroke.", box(PIN[0] - REACH, PIN[1], 36, 5, FELT), box(PIN[0] - REACH - 4, PIN[1] + 5, 44, 6, RAIL));
const place = (bed, dip) => up(bed, 1000 * dip * LARGER);

function harpsichord(numbers) {
  const key = lever(), bed = bedAt(), at = 570, top = PIN[1] - 18, tip = 96; // heights of the jack's foot and of the plectrum, at rest
  const gain = LARGER * (at - PIN[0]) / REACH * 1000; // how far the jack comes for each metre of depth
  const bent = line("", 3, DARK), tongue = part("tongue", "Turns out of the way as the jack comes down, so that the string isn't plucked again.", box(at - 7, tip - 14, 6, 30, "#e7cba3"));
  const plectrum = part("plectrum", "Bends under the string until it slips off: the pluck.", bent);
  const cloth = part("damper", "A piece of cloth in the jack that lies on the string while the key is up.", box(at - 34, tip - 24, 28, 8, FELT));
  const jack = part("jack", "Stands on the end of the key and rises past the string.", box(at - 7, tip - 26, 14, top - tip + 26), tongue, plectrum, cloth);
  const circle = disc(at - 24, 0, 3, "#e2c044"), string = part("string", "Seen along its length; it is pulled up a little before it is let go.", circle);
  const rail = part("jack rail", "Stops the jacks.", box(at - 40, 24, 80, 10, RAIL), line(`M${at - 26} 29H${at + 26}`, 3, FELT));
  const guide = part("register", "Guides the jacks; shifted aside, it lets the plectra pass the strings.", box(at - 30, 142, 20, 8, RAIL), box(at + 10, 142, 24, 8, RAIL));
  return {
    parts: [bed, rail, guide, ...key.parts, jack, string],
    pose({ depth, plectrum: state }) {
      const above = numbers("string above plectrum"), bend = gain * (depth - above), rise = gain * Math.max(depth, 0), rest = tip - gain * above - 3;
      place(bed, numbers("harpsichord key dip"));
      key.turn(depth);
      up(jack, -rise);
      const plucks = Math.round(state) === 1, passed = Math.round(state) === 2;
      const out = passed && bend < 2.4; // on its way down again
      tongue.setAttribute("transform", out ? `rotate(-16 ${at - 4} ${tip + 14})` : "");
      const drop = plucks ? Math.max(bend, 0) * 0.8 : 0;
      bent.setAttribute("d", out ? `M${at - 6} ${tip}L${at - 22} ${tip + 9}` : `M${at - 6} ${tip}Q${at - 16} ${tip} ${at - 28} ${tip + drop}`);
      circle.setAttribute("cy", rest - (plucks ? Math.max(bend, 0) * 0.2 : 0));
    },
  };
}

function organ(numbers) {
  const [left, right, y] = [40, 606, PIN[1]], at = 420, hinge = 540, floor = 122, roof = 74; // key, tracker, wind chest
  const key = part("key", "Hangs from its tracker and turns about its end.", box(left, y - 18, right - left, 18), box(left - 1, y - 21, 110, 3, "#fbf7ea"));
  const pin = part("pivot", "The key turns about its end.", polygon(`${right - 14},${y + 20} ${right + 4},${y + 20} ${right - 5},${y}`, RAIL));
  const bed = part("key bed", "Felt that ends the stroke.", box(left, y, 36, 5, FELT), box(left - 4, y + 5, 44, 6, RAIL));
  const chest = part("wind chest", "Full of air under pressure, from the bellows.", box(350, roof, 220, floor - roof + 4, AIR));
  const pipe = part("pipe", "Speaks as long as wind comes: how fast the key went is not heard.", box(424, 8, 18, 44, METAL), polygon("424,52 442,52 436,64 430,64", METAL), box(426, 44, 14, 3, "#fff"));
  const wind = part("wind", "Flows through the open pallet into the pipe.", line("M404 96C404 84 430 84 432 68", 2, "#4f97c4"), line("M396 92C400 80 428 82 430 68", 2, "#4f97c4"));
  const tone = line("M450 14c6 6 6 14 0 20M458 8c10 10 10 22 0 32", 1.6, "#4f97c4");
  const groove = part("channel", "Leads the wind from the pallet to the pipe.", box(396, roof - 12, 130, 12, "#f1e9da"), box(426, roof - 12, 14, 12, AIR));
  const pallet = part("pallet", "A valve that the wind and a spring hold shut: it opens with a crack, then it is light.",
    polygon(`398,${roof} ${hinge},${roof} ${hinge},${roof + 9} 406,${roof + 14}`), line(`M398 ${roof}H${hinge}`, 2.4, FELT));
  const coil = line("", 1.4, METAL), spring = part("spring", "Shuts the pallet.", coil);
  const wire = line("", 1.6, DARK), tracker = part("tracker", "A thin strip of wood from the key to the pallet.", wire);
  const share = (right - at) / (right - left);
  return {
    parts: [chest, groove, pipe, wind, spring, pallet, tracker, pin, bed, key], tone,
    pose({ depth }) {
      const down = 1000 * Math.max(depth, 0) * LARGER * share, front = 1000 * Math.max(depth, 0) * LARGER, open = depth > numbers("pipe speaks at");
      up(bed, 1000 * numbers("organ key dip") * LARGER);
      key.setAttribute("transform", `rotate(${(-Math.asin(front / (right - left)) * 180 / Math.PI).toFixed(3)} ${right - 5} ${y})`);
      pallet.setAttribute("transform", `rotate(${(-Math.asin(down / (hinge - at)) * 180 / Math.PI).toFixed(3)} ${hinge} ${roof})`);
      wire.setAttribute("d", `M${at} ${roof + 12 + down}V${y - 18 + down}`);
      coil.setAttribute("d", zigzag(480, roof + 12 + 0.5 * down, floor, 6));
      wind.style.visibility = tone.style.visibility = open ? "visible" : "hidden";
    },
  };
}

function ball(numbers) {
  const key = lever(), bed = bedAt(), at = PIN[0] + 240, seat = PIN[1] - 18, share = 240 / REACH, radius = () => 16 * Math.cbrt(numbers("ball mass") / 0.08);
  const round = disc(at, 0, 16, "#c2584a"), thrown = part("ball", "Lies on the end of the key: it weighs, resists, and flies when the key is stopped, as a hammer does.", round);
  const cup = part("cup", "Keeps the ball in place.",
    polygon(`${at - 20},${seat - 8} ${at - 16},${seat - 8} ${at - 12},${seat} ${at + 12},${seat} ${at + 16},${seat - 8} ${at + 20},${seat - 8} ${at + 20},${seat + 2} ${at - 20},${seat + 2}`, RAIL));
  const high = words(at, 14, "", "middle");
  key.parts[1].append(cup);
  return {
    parts: [bed, ...key.parts, thrown], tone: high,
    pose({ depth, ball: height }) {
      const r = radius(), y = seat - r - 1000 * height * LARGER * share;
      place(bed, numbers("ball key dip"));
      key.turn(depth);
      round.setAttribute("r", r);
      round.setAttribute("cy", Math.max(y, r + 18));
      high.textContent = y < r + 18 ? `▲ ${(1000 * height).toFixed(0)} mm up` : "";
    },
  };
}

function wall(numbers, name) {
  const key = lever(), computed = name !== "wall", x = PIN[0] - REACH; // its face is under the key's front
  const face = box(x - 6, PIN[1], 60, 4, INK), coil = line("", 1.6, METAL), pot = line("", 1.6, METAL);
  const block = part("wall", "A spring and a damper that a computer renders by the motor: nothing is felt above it.", face, coil, pot);
  const ground = part("ground", "What the wall stands on.", line(`M${x - 14} 236H${x + 62}`, 2));
  const motor = part("motor and encoder", "They stand in for all of it: the encoder tells the depth, the motor pushes the key.",
    disc(470, 84, 30, METAL), disc(470, 84, 8, RAIL), line("M470 114V178", 1.2), words(470, 44, computed ? "computed" : "computed at every tick", "middle"));
  const told = words(470, 30, "", "middle");
  return {
    parts: [ground, block, ...key.parts, motor], tone: told,
    pose({ depth, force }) {
      const at = 1000 * (computed ? 0.00475 : numbers("plain wall depth")) * LARGER, now = 1000 * Math.max(depth, 0) * LARGER, y = Math.max(at, now);
      key.turn(depth);
      up(face, y);
      face.setAttribute("fill", now > at ? LIT : INK);
      coil.setAttribute("d", zigzag(x + 8, PIN[1] + 4 + y, 236, 5, 6));
      pot.setAttribute("d", `M${x + 40} ${PIN[1] + 4 + y}V222M${x + 34} 222H${x + 46}M${x + 31} 216V230H${x + 49}V216M${x + 40} 230V236`);
      told.textContent = now > at ? `${force.toFixed(1)} N` : "";
    },
  };
}

function synthesizer(numbers) {
  const key = lever(), bed = bedAt(), [x, y] = PIN, at = [x - 200, x - 150], share = place => (x - place) / REACH;
  const coil = line("", 1.4, METAL), spring = part("spring", "The only thing that pushes back.", coil);
  const lamps = at.map(place => disc(place, 60, 8, RAIL)), rods = at.map(place => box(place - 3, 0, 6, 10, METAL));
  const names = ["upper switch", "lower switch"], about = ["Closes first: the clock of this key starts.", "Closes last: the note sounds, as loud as the time between was short."];
  const switches = at.map((place, i) => part(names[i], about[i], rods[i], lamps[i], words(place, 46, i ? "sounds" : "clock", "middle"), line(`M${place} 68V${y - 22}`, 0.6)));
  return {
    parts: [bed, spring, ...key.parts, ...switches],
    pose({ depth }) {
      place(bed, numbers("synthesizer key dip"));
      key.turn(depth);
      coil.setAttribute("d", zigzag(x - 90, y + 1000 * Math.max(depth, 0) * LARGER * share(x - 90), 236, 7));
      names.forEach((name, i) => {
        const due = numbers(name);
        up(rods[i], y + 1000 * due * LARGER * share(at[i]));
        lamps[i].setAttribute("fill", depth > due ? LIT : RAIL);
      });
    },
  };
}

function measured(numbers, name, table) {
  const key = lever(), [left, top, width, high] = [70, 16, 320, 120], { positions, velocities, forces } = table, most = Math.max(...forces);
  const deep = positions[positions.length - 1], fast = velocities[velocities.length - 1], rows = velocities.length, cells = [];
  const x = depth => left + width * Math.min(Math.max(depth, 0) / deep, 1), y = speed => top + high * (0.5 + 0.5 * Math.min(Math.max(speed / fast, -1), 1));
  positions.forEach((depth, i) => velocities.forEach((_, j) => {
    const force = Math.max(forces[rows * i + j], 0), from = x(i ? (depth + positions[i - 1]) / 2 : 0), to = x(i + 1 < positions.length ? (depth + positions[i + 1]) / 2 : deep);
    cells.push(tag("rect", { x: from, y: top + high * j / rows, width: to - from + 0.2, height: high / rows, fill: "#1b6ca8", opacity: 0.06 + 0.8 * Math.sqrt(force / most) }));
  }));
  const dot = disc(left, y(0), 4, "#d9623f"), chart = part("table", "Forces that were measured on a moved grand action, over depth and speed: all that this key knows.",
    tag("rect", { x: left, y: top, width, height: high, fill: "#fff", stroke: INK, "stroke-width": 0.8 }), ...cells, dot);
  const labels = [words(left, top + high + 12, "depth"), words(left + width, top + high + 12, `${(1000 * deep).toFixed(1)} mm`, "end"), words(left - 4, top + 10, "up", "end"), words(left - 4, top + high - 2, "down", "end")];
  const bed = bedAt();
  let before = null, speed = 0;
  return {
    parts: [bed, ...key.parts, chart, ...labels],
    pose({ time, depth }) {
      if (before && time > before.time) speed += 0.3 * ((depth - before.depth) / (time - before.time) - speed);
      before = { time, depth };
      place(bed, 0.0095);
      key.turn(depth);
      dot.setAttribute("cx", x(depth));
      dot.setAttribute("cy", y(speed));
    },
  };
}

const PICTURES = { harpsichord, organ, ball, synthesizer, measured };
const TITLES = { harpsichord: "Jack, plectrum and string", organ: "Tracker, pallet and pipe", ball: "A ball on the key", wall: "A wall under the key", synthesizer: "A spring and two switches", measured: "A table of forces" };

/** The picture of an instrument; `numbers(name)` gives its live numbers. A wall of the laboratory is one like the others. */
export function pictureOf(name, numbers, table) {
  const { parts, tone, pose } = (PICTURES[name] || wall)(numbers, name, table);
  const svg = tag("svg", { viewBox: "0 0 640 240", role: "img", "aria-label": TITLES[name] || TITLES.wall }, ...parts, ...(tone ? [tone] : []));
  return { svg, title: TITLES[name] || TITLES.wall, note: `Travel is drawn ${LARGER} times as large as the levers.`, pose };
}
