// The criterion that the procedure minimizes and the errors, pass by pass, with a cursor at the present step and the
// number of corrections that the theorem allows: how far along, and how much better than promised.

import { chart, empty, label } from "./chart.js";
import { counted, digits, plural } from "./dom.js";
import { numberOf, unitOf } from "./machine.js";
import { polyline } from "./render.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [46, 34, 14, 24];

/** Where values fall between bottom and top; several powers of ten call for a logarithm. */
function scale(values, bottom, top) {
  const known = values.filter((value) => Number.isFinite(value));
  let [low, high] = [Math.min(...known), Math.max(...known)];
  const log = low > 0 && high / low > 1e3;
  const on = log ? Math.log10 : (value) => value;
  if (!log && low > 0) low = 0;
  if (high === low) high = low + 1;
  return { at: (value) => bottom - ((on(value) - on(low)) / (on(high) - on(low))) * (bottom - top), low, high };
}

/** @param {HTMLElement} host @param {HTMLElement} caption @param {import("./state.js").Store} store */
export function curveView(host, caption, store) {
  const draw = chart(host, (size, colors) => {
    const recording = store.slots[0]?.recording;
    const curve = recording?.head.curve;
    const bound = recording?.head.bound;
    const promise = bound ? `. The theorem allows ${counted(Math.floor(bound))} corrections.` : "";
    caption.textContent = curve?.name ? `solid: ${curve.name}; dashed: errors${promise}` : "criterion and errors";
    if (!recording) return empty(size, colors, ["The curve appears with a run."]);
    if (!curve?.steps.length) return empty(size, colors, ["No curve: the answer comes in one step."]);
    const { head } = recording;
    const n = numberOf(head, head.n_steps);
    const near = bound && bound <= 3 * Math.max(1, n);
    const last = Math.max(1, n, near ? bound : 0);
    const [right, bottom] = [size.width - RIGHT, size.height - BOTTOM];
    const X = (k) => LEFT + (k / last) * (right - LEFT);
    const k = numberOf(head, store.stepOf(store.slots[0]));
    const unit = unitOf(head);
    const shapes = [
      { d: `M${LEFT} ${TOP}V${bottom}H${right}`, stroke: colors.line, width: 1 },
      label("0", [LEFT, size.height - 8], "middle", colors),
      label(counted(Math.round(last)), [right, size.height - 8], "middle", colors),
      label(`${unit}s`, [(LEFT + right) / 2, size.height - 8], "middle", colors),
    ];
    const series = [
      { values: curve.errors, color: colors.muted, dash: "3 3", side: right + 5, anchor: "start" },
      { values: curve.criterion, color: colors.accent, side: LEFT - 5, anchor: "end" },
    ];
    for (const { values, color, dash, side, anchor } of series) {
      if (!values?.some((value) => Number.isFinite(value))) continue;
      const { at, low, high } = scale(values, bottom, TOP);
      const points = curve.steps.map((step, i) => [X(numberOf(head, step)), at(values[i])]).filter(([, y]) => Number.isFinite(y));
      shapes.push({ d: polyline(points), stroke: color, width: 1.8, dash });
      shapes.push(label(digits(high, 3), [side, TOP + 4], anchor, colors, { fill: color }));
      shapes.push(label(digits(low, 3), [side, bottom], anchor, colors, { fill: color }));
    }
    if (near) shapes.push({ d: `M${X(bound)} ${TOP}V${bottom}`, stroke: colors.ink, width: 1, dash: "6 4" });
    shapes.push({ d: `M${X(k)} ${TOP}V${bottom}`, stroke: colors.ink, width: 1.4 });
    const allowed = bound ? `; the theorem allows ${counted(Math.floor(bound))} corrections` : "";
    return { shapes, label: `Criterion and errors over ${plural(n, unit)}, cursor at ${unit} ${counted(k)}${allowed}` };
  });
  store.on("recording step theme", draw);
}
