// The piano page: puts keys, action, force, sound and screws together on one live run.
import { $, begin, make, note } from "./play_page.js";
import { Action } from "./action_view.js";
import { Force } from "./force_curve.js";
import { Keys, connectMidi } from "./piano_keys.js";
import { Clocks } from "./clock_synchronisation.js";
import { mountLatency } from "./strike_latency.js";
import { Pedals } from "./pedal_buttons.js";
import { Screws } from "./screw_sliders.js";
import { Sound } from "./string_sounds.js";

const KEYS = 1, ROW = 2; // frames: all keys, and rows of the one in focus
const bench = begin("Piano");
const clocks = new Clocks(bench), sound = new Sound(bench), latency = mountLatency($("budget"), clocks);
const force = new Force($("force"));
const page = window.play = { bench, sound, latency, clocks, force, strikes: [] };

function showInstrument(name) {
  page.instrument = name;
  for (const chip of $("instruments").children) chip.setAttribute("aria-checked", String(chip.dataset.name === name));
  $("pedals").hidden = name !== "piano";
  page.screws.showThoseOf(name);
  page.action.showInstrument(name, number => page.screws.value(number), page.board.table);
  force.clear();
  sound.prepare(page.board.notes.map(each => each.note), page.board.strings[name]);
}

function showPassage(playing) {
  page.playing = playing;
  $("passage").textContent = playing ? "Stop the passage" : "Play the passage";
}

async function start() {
  const board = page.board = await bench.send({ do: "board" });
  $("keyboard").replaceChildren();
  $("instruments").replaceChildren();
  for (const name of board.instruments) {
    const chip = make("button", { text: name, role: "radio" });
    chip.dataset.name = name;
    chip.onclick = () => bench.try({ do: "instrument", name });
    $("instruments").append(chip);
  }
  page.keys?.leave();
  page.keys = new Keys($("keyboard"), bench, board, $("effort"));
  page.keys.onFocus = midi => page.screws?.focus(midi).catch(() => {});
  if (!page.action) {
    page.pedals = new Pedals($("pedals"), bench, board.pedals);
    page.action = new Action(bench, board.action, board.columns);
    page.screws = new Screws(bench, board.screws, board.focus);
  }
  force.setCurve(board.curve);
  showPassage(board.playing);
  showInstrument(board.instrument);
}

bench.on("open", () => start().catch(error => note(error.message, "bad")));
bench.on("strike", told => {
  const received = performance.now();
  clocks.arrived(told.sent, received);
  sound.strike(told, received);
  page.strikes.push(told);
  page.keys?.rings(told.note, true);
});
bench.on("damped", ({ note: midi, share }) => { sound.damp(midi, share); page.keys?.rings(midi, share < 0.5); });
bench.on("pedal", ({ pedal, place }) => {
  page.pedals?.show(pedal, place);
  if (pedal === "una corda pedal" && place > 0) sound.prepare(page.board.notes.map(each => each.note), "una corda");
});
bench.on("instrument", ({ name }) => showInstrument(name));
bench.on("passage", ({ playing }) => showPassage(playing));
bench.on("curve", curve => { page.curve = curve; force.setCurve(curve); });
bench.on("rows", ({ subscription: number, count, time, numbers }) => {
  if (!page.board || !page.keys) return;
  const width = numbers.length / count, subscription = number & 255, midi = number >> 8;
  if (subscription === KEYS) {
    page.keys.show(Array.from({ length: count }, (_, i) => numbers[width * i]));
  } else if (subscription === ROW) {
    const rows = Array.from({ length: count }, (_, i) => Array.from(numbers.subarray(width * i, width * (i + 1))));
    for (const row of rows) row[0] += time;
    if (midi !== force.note) page.keys.focus(midi); // the scripted finger, or another page, went there
    force.feel(rows, midi);
    page.action.live(rows[count - 1]);
  }
});
sound.onHeard = strike => latency.heard(strike);

async function turnSound(on) {
  if (on) await sound.start();
  else await sound.stop();
  $("sound").setAttribute("aria-pressed", String(on));
  $("sound").textContent = on ? "Sound is on" : "Turn sound on";
  $("sound").classList.toggle("first", !on);
}
$("sound").onclick = () => turnSound(!sound.on).catch(error => note(error.message, "bad"));
// The first touch of a key is a gesture as well: who plays wants to hear.
const first = event => {
  if (event.target.closest?.("#sound")) return;
  removeEventListener("pointerdown", first);
  removeEventListener("keydown", first);
  if (!sound.node) turnSound(true).catch(() => {});
};
addEventListener("pointerdown", first);
addEventListener("keydown", first);
$("passage").onclick = () => bench.try({ do: "passage", play: !page.playing });
$("midi").onclick = () => connectMidi(page.keys, page.pedals, names => {
  note(names.length ? `Playing from ${names.join(", ")}.` : "No MIDI keyboard is plugged in; one that is will be heard.");
}).catch(error => note(error.message, "bad"));
