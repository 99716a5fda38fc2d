// Weight space, where a pattern is a half-plane and a weight vector is a point: the patterns leave a solution region
// (if they leave one), and the procedure is a path that looks for it. Two weights can be drawn: those of one feature
// and a bias, or those of two features without one.

import { chart, empty, label } from "./chart.js";
import { clipped, corners, fitted } from "./geometry.js";
import { circle, faded } from "./look.js";
import { polyline } from "./render.js";
import { framed } from "./scene.js";
import { weightsAt } from "./machine.js";
import { present } from "./state.js";
import { digits, plural } from "./dom.js";

const MOST_LINES = 200;
const TRAIL = 200; // steps of the path that stay in sight

/** Which two weights are drawn: their places in a(k), and what a pattern puts there. */
export function drawnWeights(head) {
  if (head.kind !== "linear" || head.rows !== 1) return null;
  if (head.one_feature) return { places: [0, 1], names: ["w₀", "w₁"], entries: ([x]) => [1, x] };
  if (head.parameters.fit_intercept === false) return { places: [1, 2], names: ["w₁", "w₂"], entries: ([x, y]) => [x, y] };
  return null;
}

/** @param {HTMLElement} host @param {import("./state.js").Store} store */
export function weightsView(host, store) {
  const draw = chart(host, (size, colors) => {
    const slot = store.slots[0];
    const head = slot?.recording?.head;
    if (!head) return empty(size, colors, ["Weight space appears with a run."]);
    const plan = drawnWeights(head);
    if (!plan) return empty(size, colors, store.replay ? ["These weights need more than", "two dimensions."] : ["These weights need more than two", "dimensions. Two classes and", "“One feature” show them here."]);
    const { places: [i, j], names, entries } = plan;
    const step = store.stepOf(slot);
    const path = slot.recording.steps.map(([weights]) => [weights[i], weights[j]]);
    const full = weightsAt(slot.recording, step, store.between);
    const now = [full[i], full[j]];
    const frame = framed(fitted([...path, [0, 0]], size.width / size.height), size.width, size.height);
    const pixel = ([x, y]) => [frame.X(x), frame.Y(y)];
    const [, positive] = present(head.points);
    const b = head.level ?? 0;
    const sides = head.points.x.map((at, row) => {
      const sign = head.points.y[row] === positive ? 1 : -1;
      const [p, q] = entries(at);
      return [-b, sign * p, sign * q];
    });
    const region = sides.reduce((kept, side) => (kept.length ? clipped(kept, side) : kept), corners(frame.box));
    const far = 2 * Math.hypot(frame.box.x1 - frame.box.x0, frame.box.y1 - frame.box.y0);
    const lines = sides.slice(0, MOST_LINES).map(([c, p, q], row) => {
      const square = p * p + q * q || 1;
      const [ox, oy] = [(-c * p) / square, (-c * q) / square];
      const [u, v] = [(-q * far) / Math.sqrt(square), (p * far) / Math.sqrt(square)];
      return { d: polyline([pixel([ox - u, oy - v]), pixel([ox + u, oy + v])]), stroke: faded(colors.classes[head.points.y[row]], 0.45), width: 0.8 };
    });
    const shown = path.slice(Math.max(0, step - TRAIL), step).concat([now]);
    const shapes = [
      ...(region.length > 2 ? [{ d: polyline(region.map(pixel), true), fill: faded(colors.accent, 0.16) }] : []),
      ...lines,
      { d: `M${frame.X(0)} 0V${size.height}M0 ${frame.Y(0)}H${size.width}`, stroke: colors.line, width: 1.4 },
      { d: polyline(shown.length > 1 ? shown.map(pixel) : [...shown, ...shown].map(pixel)), stroke: faded(colors.ink, 0.6), width: 1.2 },
      { d: circle(5), at: pixel(now), fill: colors.accent, stroke: colors.paper, width: 1.2 },
      label(names[0], [size.width - 8, frame.Y(0) - 6], "end", colors, { weight: 600, halo: colors.paper }),
      label(names[1], [frame.X(0) + 7, 14], "start", colors, { weight: 600, halo: colors.paper }),
    ];
    const found = region.length > 2 ? "the solution region is shaded" : "no solution region in view";
    return { shapes, label: `Weight space: ${plural(sides.length, "half-plane")}, ${found}, a at (${now.map((w) => digits(w)).join(", ")})` };
  });
  store.on("recording step theme", draw);
}
