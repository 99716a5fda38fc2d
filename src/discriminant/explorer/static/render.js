// A picture is a list of shapes in pixels. It becomes SVG text (for the page and the file) or paint on a canvas (for
// PNG and GIF), so that what is taken away is what was seen.

import { escaped } from "./dom.js";

/**
 * @typedef {Object} Shape
 * @property {string} [d] a path, or
 * @property {string} [text] words
 * @property {[number, number]} [at] where the origin of the path, or the words, are
 * @property {string} [fill] @property {string} [stroke] @property {number} [width] @property {string} [dash]
 * @property {"start" | "middle" | "end"} [anchor] @property {number} [size] @property {string} [halo]
 * @property {number} [weight] of the font
 */

const rounded = (value) => Math.round(value * 100) / 100;

/** @param {[number, number][]} points none of them draw nothing @param {boolean} [closed] */
export const polyline = (points, closed = false) => points.length === 0 ? "M0 0" :
  `M${points.map(([x, y]) => `${rounded(x)} ${rounded(y)}`).join("L")}${closed ? "Z" : ""}`;

/** @param {Shape} shape */
function asText(shape) {
  const attributes = {
    d: shape.d,
    transform: shape.d && shape.at ? `translate(${rounded(shape.at[0])} ${rounded(shape.at[1])})` : undefined,
    x: shape.d ? undefined : rounded(shape.at[0]),
    y: shape.d ? undefined : rounded(shape.at[1]),
    fill: shape.fill ?? "none",
    stroke: shape.stroke ?? shape.halo,
    "stroke-width": shape.halo ? 3 : shape.width,
    "stroke-dasharray": shape.dash,
    "paint-order": shape.halo ? "stroke" : undefined,
    "text-anchor": shape.anchor,
    "font-size": shape.size,
    "font-weight": shape.weight,
  };
  const written = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const open = written.map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
  return shape.d ? `<path${open}/>` : `<text${open}>${escaped(shape.text)}</text>`;
}

/** @param {Shape[]} shapes */
export const svgText = (shapes) => shapes.map(asText).join("");

const outlines = new Map();

function outline(d) {
  if (outlines.size > 2000) outlines.clear();
  if (!outlines.has(d)) outlines.set(d, new Path2D(d));
  return outlines.get(d);
}

/** @param {CanvasRenderingContext2D} context @param {Shape[]} shapes */
export function paint(context, shapes, font = "system-ui, sans-serif") {
  context.lineJoin = context.lineCap = "round";
  for (const shape of shapes) {
    const [x, y] = shape.at ?? [0, 0];
    context.lineWidth = shape.halo ? 3 : (shape.width ?? 1);
    context.setLineDash(shape.dash ? shape.dash.split(" ").map(Number) : []);
    context.fillStyle = shape.fill ?? "transparent";
    context.strokeStyle = shape.stroke ?? shape.halo ?? "transparent";
    if (shape.d) {
      context.translate(x, y);
      if (shape.fill) context.fill(outline(shape.d));
      if (shape.stroke) context.stroke(outline(shape.d));
      context.translate(-x, -y);
    } else {
      context.font = `${shape.weight ?? 400} ${shape.size}px ${font}`;
      context.textAlign = { start: "left", middle: "center", end: "right" }[shape.anchor ?? "start"];
      if (shape.halo) context.strokeText(shape.text, x, y);
      context.fillText(shape.text, x, y);
    }
  }
}

/** A whole SVG document. */
export const svgDocument = (width, height, body, paper, font) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
  `font-family="${escaped(font)}"><rect width="100%" height="100%" fill="${escaped(paper)}"/>${body}</svg>`;

/** A canvas as sharp as the screen; its context is scaled to CSS pixels. */
export function sharpened(canvas, width, height, ratio = window.devicePixelRatio || 1) {
  const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
