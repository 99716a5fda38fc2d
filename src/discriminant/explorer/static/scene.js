// Everything drawn on the plane, as shapes: axes, the proof of the verdict, the boundary with its margins, the points,
// the pattern being corrected with its arrow. Which weights hold at a step is the recording's matter.

import { ticks, hull, chord, clipped, corners } from "./geometry.js";
import { MARKERS, circle, faded } from "./look.js";
import { polyline } from "./render.js";
import { correctedRows, margin, minus, movement, weightsBefore } from "./machine.js";
import { digits } from "./dom.js";

/** @returns {import("./regions.js").Frame} */
export function framed(box, width, height) {
  const X = (x) => ((x - box.x0) / (box.x1 - box.x0)) * width;
  const Y = (y) => height - ((y - box.y0) / (box.y1 - box.y0)) * height;
  return { box, width, height, X, Y };
}

/** Fine lines at round numbers, the numbers along the lower and the left edge, the names of the features. */
export function axes(frame, features, theme, oneFeature) {
  const { box, width, height, X, Y } = frame;
  const columns = ticks(box.x0, box.x1, Math.max(3, width / 90));
  const rows = ticks(box.y0, box.y1, Math.max(3, height / 80));
  const line = (d, value) => ({ d, stroke: theme.line, width: value === 0 ? 1.6 : 0.8 });
  const words = (text, at, anchor) => ({ text, at, anchor, size: 11, fill: theme.muted, halo: theme.paper });
  return [
    ...columns.map((x) => line(`M${X(x)} 0V${height}`, x)),
    ...rows.map((y) => line(`M0 ${Y(y)}H${width}`, y)),
    ...columns.filter((x) => X(x) > 40 && X(x) < width - 60).map((x) => words(digits(x), [X(x), height - 7], "middle")),
    ...rows.filter((y) => Y(y) > 30 && Y(y) < height - 24).map((y) => words(digits(y), [7, Y(y) + 4], "start")),
    { ...words(features[0] ?? "x₁", [width - 9, height - 7], "end"), weight: 600 },
    ...(oneFeature ? [] : [{ ...words(features[1] ?? "x₂", [8, 17], "start"), weight: 600 }]),
  ];
}

const line = (frame, coefficients, stroke, width, dash) => {
  const ends = chord(frame.box, coefficients);
  return ends ? [{ d: polyline(ends.map(([x, y]) => [frame.X(x), frame.Y(y)])), stroke, width, dash }] : [];
};

/** The part of the line g_r = g_s where no third discriminant is larger. */
function border(judge, r, s, box) {
  const between = minus(judge.lines[r], judge.lines[s]);
  let ends = chord(box, between);
  judge.lines.forEach((other, t) => {
    if (!ends || t === r || t === s) return;
    const kept = clipped(ends, minus(judge.lines[r], other));
    ends = kept.length >= 2 ? [kept[0], kept.find((p) => Math.hypot(p[0] - kept[0][0], p[1] - kept[0][1]) > 1e-12)] : null;
    if (ends && !ends[1]) ends = null;
  });
  return ends;
}

/** Boundaries between classes, and for two classes the margin lines aᵗy = ±b. */
export function boundary(judge, frame, theme, points, level, separated) {
  if (!judge) return [];
  const shapes = [];
  judge.lines.forEach((_, r) => {
    for (let s = r + 1; s < judge.lines.length; s += 1) {
      const ends = judge.owner[r] === judge.owner[s] ? null : border(judge, r, s, frame.box);
      if (ends) shapes.push({ d: polyline(ends.map(([x, y]) => [frame.X(x), frame.Y(y)])), stroke: theme.ink, width: 2.2 });
    }
  });
  if (judge.lines.length !== 2) return shapes;
  const [c, p, q] = minus(judge.lines[1], judge.lines[0]);
  const least = () => points.x.reduce((low, at, i) => Math.min(low, margin(judge, at, points.y[i])), Infinity);
  const b = level || (separated && points.x.length ? least() : 0);
  if (!(b > 0) || !Number.isFinite(b)) return shapes;
  return [...shapes, ...[b, -b].flatMap((shift) => line(frame, [c + shift, p, q], theme.ink, 1.1, "5 4"))];
}

/** @param {boolean[] | null} bad @param {number[]} [rows] all of them where none are named */
export function pointShapes(points, bad, frame, theme, rows = [...points.x.keys()]) {
  return rows.map((i) => ({
    d: MARKERS[points.y[i]],
    at: [frame.X(points.x[i][0]), frame.Y(points.x[i][1])],
    fill: theme.classes[points.y[i]],
    stroke: bad?.[i] ? theme.ink : theme.paper,
    width: bad?.[i] ? 2.4 : 1,
  }));
}

function arrow([x, y], [dx, dy], color) {
  const length = Math.hypot(dx, dy);
  const [u, v] = [dx / length, dy / length];
  const [ex, ey] = [x + dx, y + dy];
  const barb = (side) => [ex - 9 * u + side * v, ey - 9 * v - side * u];
  const head = polyline([[ex, ey], barb(-4.5), barb(4.5)], true);
  return [
    { d: polyline([[x, y], [ex - 6 * u, ey - 6 * v]]), stroke: color, width: 2.4 },
    { d: head, fill: color },
  ];
}

/** The patterns that the present step corrected, ringed, with arrows that show where the boundary moves there. */
export const correction = (recording, step, frame, theme) =>
  correctedRows(recording, step).flatMap((row) => correctionAt(recording.head.points.x[row], recording, step, frame, theme));

function correctionAt(at, recording, step, frame, theme) {
  const here = [frame.X(at[0]), frame.Y(at[1])];
  const ring = { d: circle(11), at: here, stroke: theme.accent, width: 2.4 };
  const moved = movement(recording.head, weightsBefore(recording, step), recording.steps[step][0], at);
  if (!moved) return [ring];
  const pixels = [frame.X(at[0] + moved[0]) - here[0], frame.Y(at[1] + moved[1]) - here[1]];
  const length = Math.hypot(...pixels);
  if (!(length > 0) || !Number.isFinite(length)) return [ring];
  const shown = Math.min(90, Math.max(26, length));
  return [...arrow(here, pixels.map((p) => (p * shown) / length), theme.accent), ring];
}

const hulls = new WeakMap();

/** The hull of a class, found once for a verdict: while a point is dragged the old proof stays until the new one comes. */
function hullOf(verdict, points, own) {
  if (!hulls.has(verdict)) hulls.set(verdict, []);
  return (hulls.get(verdict)[own] ??= hull(points.x.filter((_, i) => points.y[i] === own)));
}

/** The part of a verdict that has a point which two hulls share: of several classes, the first pair that overlaps. */
export const overlapping = (verdict) => verdict.point ? verdict : verdict.pairs?.find(({ point }) => point);

/** The verdict's proof: the widest separating plane with its nearest points, or the hulls and the point they share. */
export function proof(verdict, points, frame, theme, oneFeature) {
  if (!verdict) return [];
  const at = (row) => [frame.X(points.x[row][0]), frame.Y(points.x[row][1])];
  const known = (row) => row < points.x.length;
  const shapes = [];
  if (verdict.plane) {
    const [c, p, q = 0] = verdict.plane;
    const shift = (verdict.margin ?? 0) * Math.hypot(p, q);
    const strip = [[c + shift, p, q], [shift - c, -p, -q]].reduce((kept, side) => clipped(kept, side), corners(frame.box));
    const pixels = strip.map(([x, y]) => [frame.X(x), frame.Y(y)]);
    if (shift > 0 && pixels.length > 2) shapes.push({ d: polyline(pixels, true), fill: faded(theme.accent, 0.08) });
    shapes.push(...line(frame, [c, p, q], theme.accent, 1.3, "2 4"));
    const nearest = (verdict.nearest ?? []).filter(known);
    shapes.push(...nearest.map((row) => ({ d: circle(8.5), at: at(row), stroke: theme.accent, width: 1.2 })));
  }
  const shown = overlapping(verdict);
  const rows = ((shown ?? verdict).support ?? []).map((entry) => entry.row).filter(known);
  for (const { plane } of shown ? [] : (verdict.pairs ?? [])) {
    if (plane) shapes.push(...line(frame, plane, theme.accent, 1.3, "2 4"));
  }
  if (!shown) shapes.push(...rows.map((row) => ({ d: circle(8.5), at: at(row), stroke: theme.muted, width: 1.4 })));
  if (shown) {
    const classes = [...new Set(shown.support.map((entry) => entry.class))];
    for (const own of oneFeature ? [] : classes) {
      const pixels = hullOf(verdict, points, own).map(([x, y]) => [frame.X(x), frame.Y(y)]);
      const color = theme.classes[own];
      shapes.push({ d: polyline(pixels, true), fill: faded(color, 0.08), stroke: color, width: 1.4 });
    }
    const shared = [frame.X(shown.point[0]), frame.Y(shown.point[1] ?? 0)];
    for (const row of rows) {
      shapes.push({ d: polyline([at(row), shared]), stroke: theme.muted, width: 1, dash: "3 3" });
      shapes.push({ d: circle(8.5), at: at(row), stroke: theme.muted, width: 1.4 });
    }
    shapes.push({ d: "M-6-6L6 6M-6 6L6-6", at: shared, stroke: theme.paper, width: 5 });
    shapes.push({ d: "M-6-6L6 6M-6 6L6-6", at: shared, stroke: theme.ink, width: 2.4 });
  }
  return shapes;
}

/** What the user points at: the selected point, and the cross that the arrow keys move. */
export function pointed(points, selected, cursor, frame, theme) {
  const shapes = [];
  if (points.x[selected]) {
    const [x, y] = points.x[selected];
    shapes.push({ d: "M-10-10H10V10H-10Z", at: [frame.X(x), frame.Y(y)], stroke: theme.ink, width: 1.5, dash: "3 3" });
  }
  if (cursor) {
    const at = [frame.X(cursor[0]), frame.Y(cursor[1])];
    shapes.push({ d: "M-12 0H-4M4 0H12M0-12V-4M0 4V12", at, stroke: theme.accent, width: 2 });
  }
  return shapes;
}

/** Rings about the support vectors: the points that hold the margin. */
export function supportRings(head, frame, theme) {
  const points = (head.support ?? []).map((row) => head.points.x[row]);
  return points.map(([x, y]) => ({ d: circle(8), at: [frame.X(x), frame.Y(y)], stroke: theme.ink, width: 1.1 }));
}
