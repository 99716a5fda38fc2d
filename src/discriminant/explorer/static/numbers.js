// The numbers of the present step as the book writes them: a(k), the pattern yᵏ that it errs on, a(k)ᵗyᵏ, η(k), and
// what comes of it, a(k+1). Who reads along with a pencil finds every number here.

import { digits, element, lowered, raised } from "./dom.js";
import { present } from "./state.js";

const vector = (values) => `(${values.map((value) => digits(value)).join(", ")})`;

/** Weights as rows: one for two classes, else one a discriminant. */
function rows(head, weights, name) {
  const size = head.one_feature ? 2 : 3;
  if (head.rows === 1) return [[name(""), vector(weights)]];
  const row = (r) => weights.slice(r * size, (r + 1) * size);
  return Array.from({ length: head.rows }, (_, r) => [name(lowered(r + 1)), vector(row(r))]);
}

/** @param {import("./state.js").Recording} recording @returns {[string, string][]} */
function lines({ head, steps }, step) {
  const [after, row, eta] = steps[step];
  if (!after) return [["step", String(step)], ["weights", "too many to write; see the regions"]];
  const k = head.numbers?.[step] ?? step; // of a long run some steps were left out
  if (step === 0) return [["k", "0"], ...rows(head, after, (r) => `a${r}(1)`), ["", "the start; no correction yet"]];
  const before = steps[step - 1][0];
  const shown = [["k", String(k)], ...rows(head, before, (r) => `a${r}(${k})`)];
  if (row >= 0) {
    const at = head.points.x[row];
    const own = head.points.y[row];
    const pattern = head.one_feature ? [1, at[0]] : [1, ...at];
    const sign = head.rows === 1 && own === present(head.points)[0] ? -1 : 1;
    const signed = pattern.map((value) => sign * value);
    shown.push([`y${raised(k)}`, `${vector(signed)}, row ${row}, class ${head.points.classes[own]}`]);
    if (head.rows === 1) {
      const product = signed.reduce((sum, value, i) => sum + value * before[i], 0);
      shown.push([`a(${k})ᵗy${raised(k)}`, digits(product)]);
    }
  } else {
    shown.push([`y${raised(k)}`, head.batch ? "all patterns together" : "no single pattern"]);
  }
  if (eta !== null && eta !== undefined) shown.push([`η(${k})`, digits(eta)]);
  return [...shown, ...rows(head, after, (r) => `a${r}(${k + 1})`)];
}

/** @param {HTMLElement} host a definition list @param {import("./state.js").Store} store */
export function numbersView(host, store) {
  store.on("recording step", () => {
    const slot = store.slots[0];
    const recording = slot?.recording;
    const shown = recording ? lines(recording, store.stepOf(slot)) : [["a(1)", "appears with a run"]];
    const most = !recording ? 6 : recording.head.maps ? 3 : 2 * recording.head.rows + 4;
    host.style.minHeight = `${1.65 * most + 1.6}em`; // no jump between a step that has all lines and one that has few
    host.replaceChildren(...shown.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  });
}
