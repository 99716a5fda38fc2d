// The verdict in words: can these points be separated by lines, and which rows prove it. Its drawing is on the plane.

import { byId, digits, element } from "./dom.js";
import { overlapping } from "./scene.js";

const SHOWN = 12; // rows of a proof that are written out

/** The rows of the proof: the nearest points of the widest plane, or the mixture that both classes share. */
function evidence(verdict, points) {
  if (verdict.support?.length) {
    const rows = verdict.support.slice(0, SHOWN).map(({ row, class: own, weight, value }) =>
      element("tr", {},
        element("td", {}, String(row)),
        element("td", {}, points.classes[own] ?? ""),
        element("td", {}, weight ? `${weight} ≈ ${digits(value)}` : digits(value))));
    const head = element("tr", {}, ...["row", "class", "weight"].map((name) => element("th", { scope: "col" }, name)));
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
    const more = verdict.support.length - SHOWN;
    const title = `The rows of the proof${more > 0 ? `, the first ${SHOWN} of ${verdict.support.length}` : ""}`;
    table.prepend(element("caption", {}, title));
    return table;
  }
  return null;
}

/** Which classes the drawing is about, where there are more than two. */
function drawnClasses(verdict, points) {
  if (!verdict.pairs) return "";
  const shown = overlapping(verdict);
  const names = [...new Set(shown?.support.map((entry) => entry.class) ?? [])].map((own) => points.classes[own]);
  if (names.length) return `Drawn: the classes ${names.join(" and ")}, whose hulls share a point.`;
  return verdict.pairs.some(({ plane }) => plane) ? "Drawn: a line between each two classes." : "";
}

/** @param {HTMLElement} host @param {import("./state.js").Store} store */
export function verdictView(host, store) {
  byId("proof").addEventListener("change", (event) => {
    store.proof = event.target.checked;
    store.change("verdict");
  });
  let drawn = [];
  const draw = () => {
    const { verdict, points } = store;
    const shown = [verdict, points.classes, points.x.length > 0, store.replay && store.slots[0]?.recording];
    if (shown.every((part, i) => part === drawn[i])) return; // a drag redraws nothing here until the answer comes
    drawn = shown;
    const final = store.replay && store.slots[0]?.recording?.head.final;
    const report = final ? element("details", {}, element("summary", {}, "The report"), element("pre", {}, final.report)) : "";
    if (store.replay && !verdict) {
      host.replaceChildren(element("p", { class: "headline" }, final ? final.sentence : ""), report);
      return;
    }
    if (!verdict || !points.x.length) {
      host.replaceChildren(element("p", { class: "headline" }, "Click on the plane to place points, or choose a data set."));
      return;
    }
    const open = host.querySelector("details")?.open ?? false;
    const [first, second, ...more] = verdict.lines ?? [];
    const told = [first, second, drawnClasses(verdict, points)].filter(Boolean).map((line) => element("p", {}, line));
    const rest = [...more.map((line) => element("p", {}, line)), evidence(verdict, points)].filter(Boolean);
    const details = element("details", { open }, element("summary", {}, "The proof and what follows"), ...rest);
    host.replaceChildren(element("p", { class: "headline" }, verdict.headline), ...told, rest.length ? details : "", report);
  };
  store.on("verdict points recording", draw);
}
