// A small picture beside the plane: an SVG that is drawn anew whenever its data or its size change.

import { svgText } from "./render.js";
import { theme } from "./look.js";

/**
 * @param {HTMLElement} host of fixed height
 * @param {(size: {width: number, height: number}, colors: import("./look.js").Theme) =>
 *   {shapes: import("./render.js").Shape[], label: string}} make  label tells in words what is seen
 * @returns {() => void} draws
 */
export function chart(host, make) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("role", "img");
  host.replaceChildren(svg);
  let size = { width: 0, height: 0 }; // kept: to ask for it in every frame makes the browser lay out the page anew
  let drawn = "";
  const draw = () => {
    if (size.width === 0) return;
    const { shapes, label } = make(size, theme());
    const text = svgText(shapes);
    svg.setAttribute("aria-label", label);
    if (text !== drawn) svg.innerHTML = drawn = text;
  };
  new ResizeObserver(([{ contentRect }]) => {
    size = { width: contentRect.width, height: contentRect.height };
    draw();
  }).observe(host);
  return draw;
}

/** Words in the middle of an empty chart. */
export function empty({ width, height }, colors, lines) {
  const place = (i) => [width / 2, height / 2 + 18 * (i - (lines.length - 1) / 2)];
  return { shapes: lines.map((text, i) => label(text, place(i), "middle", colors, { size: 13 })), label: lines.join(" ") };
}

export const label = (text, at, anchor, colors, more = {}) =>
  ({ text, at, anchor, size: 11, fill: colors.muted, ...more });
