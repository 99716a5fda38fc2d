// How classes look: Okabe and Ito's colors, which all eyes can tell apart, each with its own marker, as in
// discriminant.plot. All colors are read from the style sheet, so that light and dark are decided in one place.

/** Outlines about the origin, 10 pixels across: circle, square, triangle, diamond, triangle down, plus. */
export const MARKERS = [
  "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z",
  "M-4.4-4.4H4.4V4.4H-4.4Z",
  "M0-5.8L5.3 3.9H-5.3Z",
  "M0-6L6 0 0 6-6 0Z",
  "M0 5.8L5.3-3.9H-5.3Z",
  "M-1.9-5.6H1.9V-1.9H5.6V1.9H1.9V5.6H-1.9V1.9H-5.6V-1.9H-1.9Z",
];

/** @param {number} r */
export const circle = (r) => `M${r} 0A${r} ${r} 0 1 1-${r} 0A${r} ${r} 0 1 1 ${r} 0Z`;

/**
 * @typedef {{ink: string, muted: string, line: string, paper: string, accent: string, classes: string[],
 *   tint: number, font: string}} Theme
 */

const darkness = window.matchMedia("(prefers-color-scheme: dark)");
let [known, dark] = [null, null];

/** The colors, read once for light and once for dark: each reading makes the browser compute styles. @returns {Theme} */
export function theme() {
  if (darkness.matches !== dark) [known, dark] = [colors(), darkness.matches];
  return known;
}

function colors() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read("ink"),
    muted: read("muted"),
    line: read("line"),
    paper: read("paper"),
    accent: read("accent"),
    classes: MARKERS.map((_, own) => read(`class-${own}`)),
    tint: Number(read("tint")),
    font: "system-ui, sans-serif",
  };
}

/** @param {string} color "#rrggbb" @param {number} alpha */
export function faded(color, alpha) {
  const part = (at) => Number.parseInt(color.slice(at, at + 2), 16);
  return `rgba(${part(1)}, ${part(3)}, ${part(5)}, ${alpha})`;
}
