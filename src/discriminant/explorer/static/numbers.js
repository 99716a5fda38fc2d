// The numbers of the present step as the book writes them: a(k), the pattern yᵏ that it errs on, a(k)ᵗyᵏ, η(k), and
// what comes of it, a(k+1). Who reads along with a pencil finds every number here.

import { digits, element, lowered, plural, raised } from "./dom.js";
import { contenders, correctedRows, isAnswer, machine, numberOf, unitOf, weightsBefore } from "./machine.js";
import { present } from "./state.js";

const ANSWERS = {
  average: "the answer: the average of all a(k)",
  pocket: "the answer: the best a(k)",
  direct: "the answer, found directly",
  final: "the answer",
};
const SAME = 1e-9; // relative: a factor this near to η(k) is η(k)

const vector = (values) => `(${values.map((value) => digits(value)).join(", ")})`;
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/** Weights as rows: one for two classes, else one a discriminant. */
function split(head, weights) {
  const size = head.one_feature ? 2 : 3;
  return Array.from({ length: head.rows }, (_, r) => weights.slice(r * size, (r + 1) * size));
}

/** The sign of a row's number: none where there is but one. */
const index = (head, r) => (head.rows === 1 ? "" : lowered(r + 1));

function written(head, weights, name) {
  return split(head, weights).map((row, r) => [name(index(head, r)), vector(row)]);
}

/**
 * Whose discriminants the pattern is about: the only one; of one against the rest the one that changed; else that of
 * its own class and of the strongest rival.
 */
function concerned(head, before, changed, row) {
  if (head.rows === 1) return [0];
  if (changed.length === 1) return changed;
  const judge = machine(head, before);
  if (!judge) return changed;
  const { mine, other } = contenders(judge, head.points.x[row], head.points.y[row]);
  return [mine, other].filter((r) => r >= 0);
}

/** Pattern, products, and which discriminants changed. @returns {[string, string][]} */
function patternLines(head, before, after, row, k) {
  const [at, own] = [head.points.x[row], head.points.y[row]];
  const [past, now] = [split(head, before), split(head, after)];
  const changed = past.flatMap((values, r) => (values.some((value, i) => value !== now[r][i]) ? [r] : []));
  const rows = concerned(head, before, changed, row);
  const positive = head.rows === 1 ? present(head.points)[1] : head.row_class[rows[0]];
  const sign = rows.length === 1 && own !== positive ? -1 : 1; // patterns of the other class are negated
  const features = (head.one_feature ? [at[0]] : at).map((value) => sign * value);
  const unit = head.bias_unit ?? 1;
  const product = (r) => unit === 1 ? `a${index(head, r)}(${k})ᵗy${raised(k)}` : `${sign < 0 ? "−" : ""}g(x${raised(k)})`;
  const lines = [
    [`y${raised(k)}`, `${vector([sign * unit, ...features])}, row ${row}, class ${head.points.classes[own]}`],
    ...rows.map((r) => [product(r), digits(dot(past[r], [sign, ...features]))]),
  ];
  const names = changed.map((r) => `a${index(head, r)} (${head.points.classes[head.row_class?.[r]]})`);
  return head.rows === 1 ? lines : [...lines, ["changed", names.join(", ") || "nothing"]];
}

/** What was added for two patterns that are moved as a pair. */
function pairOf({ points, one_feature: one }, [i, j]) {
  const difference = points.x[i].map((value, at) => value - points.x[j][at]);
  return `${vector(one ? difference.slice(0, 1) : difference)}, rows ${i} and ${j}`;
}

/** @param {import("./state.js").Recording} recording @returns {[string, string][]} */
function lines(recording, step) {
  const { head } = recording;
  const [after, , eta, , factor] = recording.steps[step];
  const rows = correctedRows(recording, step);
  const k = numberOf(head, step);
  if (!after) return [["k", String(k)], ["a", "too many weights to write; see the regions"]];
  if (step === 0 && head.answer === "direct") return [["a", "found in one step"]];
  if (step === 0) return [["k", "0"], ...written(head, after, (r) => `a${r}(1)`), ["", "the start; no correction yet"]];
  if (isAnswer(head, step)) return [...written(head, after, (r) => `a${r}`), ["", ANSWERS[head.answer] ?? ANSWERS.final]];
  const before = weightsBefore(recording, step);
  const from = recording.steps[step][3] ? k : numberOf(head, step - 1) + 1; // a long run may lack the one just before
  const shown = [["k", String(k)], ...written(head, before, (r) => `a${r}(${from})`)];
  if (from !== k) shown.push(["", `${plural(k - from + 1, unitOf(head))} between`]);
  else if (rows.length === 2) shown.push(["xᵢ − xⱼ", pairOf(head, rows)]);
  else if (rows.length) shown.push(...patternLines(head, before, after, rows[0], k));
  else shown.push([`y${raised(k)}`, head.batch ? "all patterns together" : "no single pattern"]);
  const rate = rows.length === 2 ? [`δ(${k})`, `${digits(eta)}; then a is scaled`] : [`η(${k})`, digits(eta)];
  if (Number.isFinite(eta)) shown.push(rate);
  const told = Number.isFinite(factor) && !(Math.abs(factor - eta) <= SAME * Math.abs(factor));
  if (told) shown.push(["c", `${digits(factor)} in a(${k + 1}) = a(${k}) + c y${raised(k)}`]);
  return [...shown, ...written(head, after, (r) => `a${r}(${k + 1})`)];
}

/** As many lines as a step of the run can have, so that nothing jumps between one that has all and one that has few. */
function most(head) {
  if (head.maps) return 3;
  return 2 * head.rows + (head.batch ? 3 : head.rows > 1 ? 7 : 5);
}

/** @param {HTMLElement} host a definition list @param {import("./state.js").Store} store */
export function numbersView(host, store) {
  store.on("recording step", () => {
    const slot = store.slots[0];
    const recording = slot?.recording;
    const shown = recording ? lines(recording, store.stepOf(slot)) : [["a(1)", "appears with a run"]];
    host.style.minHeight = `${1.65 * (recording ? most(recording.head) : 7) + 1.6}em`;
    host.replaceChildren(...shown.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  });
}
