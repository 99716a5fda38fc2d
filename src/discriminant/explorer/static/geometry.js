// Plane geometry for the pictures: half-planes cut out of a box, lines across it, hulls, round numbers for axes.

/** @typedef {[number, number]} Point */
/** @typedef {{x0: number, x1: number, y0: number, y1: number}} Box */

/** @param {Box} box @returns {Point[]} */
export const corners = ({ x0, x1, y0, y1 }) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];

/** The part of a convex polygon where c + p x + q y ≥ 0 (Sutherland and Hodgman). */
export function clipped(polygon, [c, p, q]) {
  const height = ([x, y]) => c + p * x + q * y;
  const kept = [];
  polygon.forEach((here, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const [a, b] = [height(here), height(next)];
    if (a >= 0) kept.push(here);
    if ((a > 0 && b < 0) || (a < 0 && b > 0)) {
      const t = a / (a - b);
      kept.push([here[0] + t * (next[0] - here[0]), here[1] + t * (next[1] - here[1])]);
    }
  });
  return kept;
}

/** The two ends of the line c + p x + q y = 0 within a box, or null where it passes outside. */
export function chord(box, [c, p, q]) {
  if (p === 0 && q === 0) return null;
  const { x0, x1, y0, y1 } = box;
  const ends = [];
  const add = (x, y) => {
    const [near, tall] = [1e-9 * (x1 - x0), 1e-9 * (y1 - y0)];
    const inside = x >= x0 - near && x <= x1 + near && y >= y0 - tall && y <= y1 + tall;
    if (inside && !ends.some(([u, v]) => Math.abs(u - x) <= near && Math.abs(v - y) <= tall)) ends.push([x, y]);
  };
  if (q !== 0) for (const x of [x0, x1]) add(x, -(c + p * x) / q);
  if (p !== 0) for (const y of [y0, y1]) add(-(c + q * y) / p, y);
  return ends.length >= 2 ? [ends[0], ends[1]] : null;
}

/** Andrew's monotone chain: the convex hull, counter-clockwise. @param {Point[]} points */
export function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length >= 2 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

/** The distance of round numbers, about `count` of them between low and high; NaN where there is no room for any. */
export function tickStep(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? NaN);
}

/** Round numbers, about `count` of them, between low and high; none where numbers are too coarse to count them. */
export function ticks(low, high, count = 6) {
  const step = tickStep(low, high, count);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  if (![first, last].every(Number.isSafeInteger)) return [];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * A box about the points with some air, in the proportion of the view where the two features have like scales:
 * then a weight vector stands upright on its boundary, as in the book.
 */
export function fitted(points, aspect) {
  if (points.length === 0) return { x0: -5 * aspect, x1: 5 * aspect, y0: -5, y1: 5 };
  const range = (j) => {
    let [low, high] = [Infinity, -Infinity];
    for (const p of points) {
      low = Math.min(low, p[j]);
      high = Math.max(high, p[j]);
    }
    const air = high > low ? 0.14 * (high - low) : Math.max(1, Math.abs(low) * 0.1);
    return [low - air, high + air];
  };
  let [[x0, x1], [y0, y1]] = [range(0), range(1)];
  const [wide, tall] = [x1 - x0, (y1 - y0) * aspect];
  if (Math.max(wide, tall) < 5 * Math.min(wide, tall)) {
    const more = Math.max(0, tall - wide) / 2;
    const higher = Math.max(0, wide - tall) / aspect / 2;
    [x0, x1, y0, y1] = [x0 - more, x1 + more, y0 - higher, y1 + higher];
  }
  return { x0, x1, y0, y1 };
}
