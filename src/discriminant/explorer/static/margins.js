// The margins of all points at the present step: how far each lies on the right side of the boundary (or, left of
// zero, on the wrong one). A procedure that separates moves the whole distribution over the line at zero.

import { chart, empty, label } from "./chart.js";
import { digits, plural, write } from "./dom.js";
import { faded } from "./look.js";
import { distances, machine, weightsAt } from "./machine.js";

const BINS = 24; // even, so that one begins at zero
const [SIDE, TOP, BOTTOM] = [14, 12, 24];

/** Counts in BINS bins between −reach and reach. */
function histogram(values, reach) {
  const counts = new Array(BINS).fill(0);
  const half = counts.length / 2;
  for (const value of values) {
    counts[Math.min(counts.length - 1, Math.max(0, Math.floor(half + (value / reach) * half)))] += 1;
  }
  return counts;
}

/** @param {HTMLElement} host @param {HTMLElement} note for the least of them @param {import("./state.js").Store} store */
export function marginsView(host, note, store) {
  const picture = (size, colors) => {
    const slot = store.slots[0];
    if (!slot?.recording) return empty(size, colors, ["Margins appear with a run."]);
    if (slot.recording.head.maps) return empty(size, colors, ["Distances to a curved", "boundary are not drawn."]);
    const judge = machine(slot.recording.head, weightsAt(slot.recording, store.stepOf(slot), store.between));
    if (!judge) return empty(size, colors, ["a = 0: nothing is decided yet."]);
    const values = distances(judge, store.points).filter((value) => Number.isFinite(value));
    if (!values.length) return empty(size, colors, ["The boundary lies at infinity."]);
    const least = values.reduce((low, value) => Math.min(low, value), Infinity);
    const reach = values.reduce((high, value) => Math.max(high, Math.abs(value)), 1e-300) * 1.0001;
    const counts = histogram(values, reach);
    const most = Math.max(...counts);
    const bottom = size.height - BOTTOM;
    const wide = (size.width - 2 * SIDE) / counts.length;
    const zero = SIDE + (wide * counts.length) / 2;
    const shapes = counts.flatMap((count, i) => {
      const tall = (count / most) * (bottom - TOP);
      const onWrongSide = i < counts.length / 2;
      const x = SIDE + i * wide;
      const d = `M${x + 1} ${bottom}V${bottom - tall}H${x + wide - 1}V${bottom}Z`;
      return count ? [{ d, fill: onWrongSide ? colors.ink : faded(colors.accent, 0.75) }] : [];
    });
    const bad = values.filter((value) => value <= 0).length;
    shapes.push({ d: `M${SIDE} ${bottom}H${size.width - SIDE}`, stroke: colors.line, width: 1 });
    shapes.push({ d: `M${zero} ${TOP - 4}V${bottom}`, stroke: colors.ink, width: 1, dash: "4 3" });
    shapes.push(label(digits(-reach, 2), [SIDE, size.height - 8], "start", colors));
    shapes.push(label("0", [zero, size.height - 8], "middle", colors));
    shapes.push(label(digits(reach, 2), [size.width - SIDE, size.height - 8], "end", colors));
    const told = `${bad} on the wrong side, least ${digits(least)}`;
    const words = `Margins of ${plural(values.length, "point")}: ${told}`;
    return { shapes, label: words, least: `the least is ${digits(least, 3)}` };
  };
  const draw = chart(host, (size, colors) => {
    const made = picture(size, colors);
    write(note, made.least ?? "");
    return made;
  });
  store.on("recording step points theme", draw);
}
