// What all views share: making elements, writing numbers, handing a file to the browser.

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => document.getElementById(id);

/**
 * An element with attributes (functions become listeners, true and false are flags) and children.
 * @param {string} tag @param {Object} [attributes] @param {...(Node|string)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Four significant digits, with a true minus sign, and no digits that say nothing. */
export function digits(value, significant = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const far = size !== 0 && (size >= 1e6 || size < 1e-4);
  const text = far ? value.toExponential(significant - 1) : String(Number(value.toPrecision(significant)));
  return text.replace("-", "−").replace("e+", "e");
}

/** Words in an element; the same ones again would make the browser lay out the page anew. */
export function write(host, text) {
  if (host.textContent !== text) host.textContent = text;
}

const grouped = new Intl.NumberFormat("en-US");

/** @param {number} value */
export const counted = (value) => grouped.format(value);

/** @param {number} n @param {string} one @param {string} [many] */
export const plural = (n, one, many = `${one}s`) => `${counted(n)} ${n === 1 ? one : many}`;

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const LOWERED = "₀₁₂₃₄₅₆₇₈₉";
const written = (alphabet) => (n) => String(n).replace(/\d/g, (digit) => alphabet[digit]);
export const raised = written(RAISED);
export const lowered = written(LOWERED);

const UNSAFE = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu; // not allowed in an SVG file
export const escaped = (text) =>
  String(text).replace(CONTROL, "").replace(/[&<>"]/g, (letter) => UNSAFE[letter]);

/** @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A control that stands beside its label, with room below for help and for an error. */
export function field(label, control, help = "") {
  const id = control.id;
  const note = element("p", { class: "help", id: `${id}-help` }, help);
  const fault = element("p", { class: "fault", id: `${id}-fault` });
  control.setAttribute("aria-describedby", `${note.id} ${fault.id}`);
  return element("div", { class: "field" }, element("label", { for: id }, label), control, note, fault);
}
