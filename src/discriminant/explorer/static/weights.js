// Weight space, where a pattern is a half-plane and a weight vector is a point: the patterns leave a solution region
// (if they leave one), and the procedure is a path that looks for it. Two weights can be drawn: those of one feature
// and a bias.

import { chart, empty, label } from "./chart.js";
import { chord, clipped, corners, fitted } from "./geometry.js";
import { circle, faded } from "./look.js";
import { polyline } from "./render.js";
import { framed } from "./scene.js";
import { weightsAt } from "./machine.js";
import { present } from "./state.js";
import { digits, plural } from "./dom.js";

const MANY = ["These weights need more", "than two dimensions.", "Two classes and “One feature”", "show them here."];
const MOST_LINES = 200;
const TRAIL = 200; // steps of the path that stay in sight

/** @param {HTMLElement} host @param {import("./state.js").Store} store */
export function weightsView(host, store) {
  const draw = chart(host, (size, colors) => {
    const slot = store.slots[0];
    const head = slot?.recording?.head;
    if (!head) return empty(size, colors, ["Weight space appears with a run."]);
    const drawable = head.kind === "linear" && head.rows === 1 && head.one_feature;
    if (!drawable) return empty(size, colors, MANY.slice(0, store.replay ? 2 : 4));
    const step = store.stepOf(slot);
    const path = slot.recording.steps.map(([weights]) => weights);
    const now = weightsAt(slot.recording, step, store.between);
    const frame = framed(fitted([...path, [0, 0]], size.width / size.height), size.width, size.height);
    const pixel = ([x, y]) => [frame.X(x), frame.Y(y)];
    const [, positive] = present(head.points);
    const b = head.level ?? 0;
    const sides = head.points.x.map((at, row) => {
      const sign = head.points.y[row] === positive ? 1 : -1;
      return [-b, sign, sign * at[0]];
    });
    const region = sides.reduce((kept, side) => (kept.length ? clipped(kept, side) : kept), corners(frame.box));
    const lines = sides.slice(0, MOST_LINES).flatMap((side, row) => {
      const color = faded(colors.classes[head.points.y[row]], 0.45);
      const ends = chord(frame.box, side);
      return ends ? [{ d: polyline(ends.map(pixel)), stroke: color, width: 0.8 }] : [];
    });
    const shown = path.slice(Math.max(0, step - TRAIL), step).concat([now]);
    const shapes = [
      ...(region.length > 2 ? [{ d: polyline(region.map(pixel), true), fill: faded(colors.accent, 0.16) }] : []),
      ...lines,
      { d: `M${frame.X(0)} 0V${size.height}M0 ${frame.Y(0)}H${size.width}`, stroke: colors.line, width: 1.4 },
      { d: polyline(shown.map(pixel)), stroke: faded(colors.ink, 0.6), width: 1.2 },
      { d: circle(5), at: pixel(now), fill: colors.accent, stroke: colors.paper, width: 1.2 },
      label("w₀", [size.width - 8, frame.Y(0) - 6], "end", colors, { weight: 600, halo: colors.paper }),
      label("w₁", [frame.X(0) + 7, 14], "start", colors, { weight: 600, halo: colors.paper }),
    ];
    const found = region.length > 2 ? "the solution region is shaded" : "no solution region in view";
    const at = `a at (${now.map((w) => digits(w)).join(", ")})`;
    return { shapes, label: `Weight space: ${plural(sides.length, "half-plane")}, ${found}, ${at}` };
  });
  store.on("recording step theme", draw);
}
