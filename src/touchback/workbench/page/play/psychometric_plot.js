// A psychometric function, small: how often answers were right over levels, and the threshold with its interval.
import { short } from "../dom.js";
import { canvasOf, colour } from "./play_page.js";

const PAD = { left: 42, right: 10, top: 10, bottom: 34 };

/** Draws what was found into the canvas of an element; gives what draws it again. */
export function figureOf(element, found) {
  return canvasOf(element, (context, width, height) => {
    const [levels, shares] = found.curve, [least, most] = [levels[0], levels[levels.length - 1]].map(Math.log);
    const x = level => PAD.left + (width - PAD.left - PAD.right) * (Math.log(level) - least) / (most - least);
    const y = share => height - PAD.bottom - (height - PAD.top - PAD.bottom) * share;
    const within = level => Math.min(Math.max(x(level), PAD.left), width - PAD.right);
    context.font = "11px system-ui";
    const low = found.low === null ? PAD.left : within(found.low), high = found.high === null ? width - PAD.right : within(found.high);
    context.globalAlpha = 0.18;
    context.fillStyle = colour("--curve-1");
    context.fillRect(low, y(1), high - low, y(0) - y(1));
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = colour("--line");
    context.fillStyle = colour("--soft");
    for (const share of [0, 0.5, 1]) { stroke(context, [[PAD.left, y(share)], [width - PAD.right, y(share)]]); context.fillText(`${100 * share} %`, 2, y(share) + 4); }
    context.setLineDash([3, 3]);
    stroke(context, [[PAD.left, y(found.guess)], [width - PAD.right, y(found.guess)]]);
    context.setLineDash([]);
    for (const level of ticks(levels[0], levels[levels.length - 1])) { stroke(context, [[x(level), y(0)], [x(level), y(0) + 4]]); centred(context, short(level, 3), x(level), height - PAD.bottom + 16); }
    centred(context, `more than ${short(found.base, 3)} ${found.unit}`, (PAD.left + width) / 2, height - 3);
    context.lineWidth = 2;
    context.strokeStyle = colour("--ink");
    stroke(context, levels.map((level, i) => [x(level), y(shares[i])]));
    context.strokeStyle = context.fillStyle = colour("--accent");
    stroke(context, [[x(found.level), y(0)], [x(found.level), y(1)]]);
    found.levels.forEach((level, i) => { context.beginPath(); context.arc(x(level), y(found.right[i]), 2 + Math.sqrt(found.asked[i]), 0, 7); context.fill(); });
  });
}

/** Round numbers of a logarithmic axis between two: 1, 2 and 5 of each decade, or the decades where there are many. */
function ticks(least, most) {
  const found = [], many = Math.log10(most / least) > 2;
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++) for (const digit of many ? [1] : [1, 2, 5]) found.push(digit * 10 ** power);
  return found.filter(each => each >= least && each <= most);
}

function centred(context, text, x, y) {
  context.fillText(text, x - context.measureText(text).width / 2, y);
}

function stroke(context, points) {
  context.beginPath();
  points.forEach(([a, b], i) => i ? context.lineTo(a, b) : context.moveTo(a, b));
  context.stroke();
}
