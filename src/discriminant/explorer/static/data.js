// Where points come from: the package's data sets, generators with sliders, or the user's own CSV file, of which the
// target and two features are picked. And the tools to edit them: class, undo, redo, clear.

import { byId, element, plural, write } from "./dom.js";
import { MARKERS } from "./look.js";
import { parameterFields } from "./controls.js";
import { noPoints } from "./state.js";

const MOST_CLASSES = 6;

function classRadios(store) {
  const host = byId("classes");
  let names = null;
  store.on("selection points", () => {
    const { classes } = store.points;
    if (names !== classes.join("\n")) {
      names = classes.join("\n");
      host.replaceChildren(...classes.map((name, own) => {
        const radio = element("input", { type: "radio", name: "class", id: `class-${own}`, value: own, change: () => {
          store.chosen = own;
        } });
        const mark = element("span", { class: "mark", "aria-hidden": "true" });
        mark.innerHTML = `<svg viewBox="-7 -7 14 14"><path d="${MARKERS[own]}"/></svg>`;
        mark.style.fill = `var(--class-${own})`;
        return element("label", { class: "class" }, radio, mark, element("span", {}, name));
      }));
    }
    const radio = byId(`class-${store.chosen}`);
    if (radio) radio.checked = true;
    byId("add-class").disabled = classes.length >= MOST_CLASSES;
    byId("undo").disabled = store.past.length === 0;
    byId("redo").disabled = store.future.length === 0;
    byId("one-feature").checked = store.oneFeature;
    byId("remove").disabled = store.selected < 0;
    byId("clear").disabled = store.points.x.length === 0;
    byId("invitation").hidden = store.points.x.length > 0;
  });
}

/** A table that was read by the server: pick the target and two features of it. */
function pickColumns(table, name, store) {
  const host = byId("columns");
  const select = (id, label, chosen, names) => {
    const options = names.map((column) => element("option", { value: column, selected: column === chosen }, column));
    const made = element("select", { id }, ...options);
    return [made, element("div", { class: "field" }, element("label", { for: id }, label), made)];
  };
  const numeric = table.columns.filter((column) => column.kind === "number").map((column) => column.name);
  const all = table.columns.map((column) => column.name);
  const labels = table.columns.filter((column) => column.classes);
  const target = (labels.findLast((column) => column.kind === "text") ?? labels.at(-1) ?? table.columns.at(-1)).name;
  if (numeric.length === 0) {
    host.replaceChildren();
    return store.tell(`${name} has no column of numbers; features must be numbers`, true);
  }
  const values = (column) => table.columns.find((found) => found.name === column).values;
  const numbersRows = (column) => values(column).every((value, i, all) => value === all[0] + i); // 0, 1, 2, … tell nothing
  const others = numeric.filter((column) => column !== target).sort((a, b) => numbersRows(a) - numbersRows(b));
  const [first = numeric[0], second = first] = others;
  const [targetSelect, targetField] = select("column-target", "Target", target, all);
  const [oneSelect, oneField] = select("column-1", "First feature", first, numeric);
  const [twoSelect, twoField] = select("column-2", "Second feature", second, numeric);
  const use = () => {
    const named = values(targetSelect.value);
    const different = new Set(named.filter((label) => label !== null).map(String));
    const classes = [...different].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    if (classes.length > MOST_CLASSES) {
      const fault = `target=${targetSelect.value} has ${classes.length} different values`;
      return store.tell(`${fault}; choose a column with at most ${MOST_CLASSES}`, true);
    }
    const features = [oneSelect.value, twoSelect.value];
    const [u, v] = features.map(values);
    const rows = [...named.keys()].filter((i) => [named[i], u[i], v[i]].every((value) => value !== null));
    const own = rows.map((i) => classes.indexOf(String(named[i])));
    const dropped = named.length - rows.length;
    const left = dropped ? `, without ${plural(dropped, "row")} that lack${dropped === 1 ? "s" : ""} a value` : "";
    store.load({ x: rows.map((i) => [u[i], v[i]]), y: own, classes, features }, `${name}${left}`);
  };
  const button = element("button", { type: "button", click: use }, "Use these columns");
  host.replaceChildren(targetField, oneField, twoField, button);
  use();
}

/** @param {import("./state.js").Store} store @param {import("./runner.js").Runner} runner */
export function dataView(store, runner, token) {
  const [select, sliders, description] = [byId("dataset"), byId("generator"), byId("dataset-description")];
  classRadios(store);
  byId("undo").addEventListener("click", () => store.undo());
  byId("redo").addEventListener("click", () => store.redo());
  byId("clear").addEventListener("click", () => {
    select.value = "";
    store.load(noPoints(), "");
  });
  byId("add-class").addEventListener("click", () => {
    store.addClass();
    store.flush();
    byId(`class-${store.chosen}`).focus();
  });
  byId("one-feature").addEventListener("change", (event) => {
    store.oneFeature = event.target.checked;
    store.change("points");
  });
  byId("remove").addEventListener("click", () => store.remove(store.selected));

  let untouched = {}; // the points as the data set brought them, and their title
  const loaded = ({ points, title }) => {
    untouched = { points, title };
    store.load(points, title);
  };
  store.on("points", () => {
    const own = store.points === untouched.points || !select.value;
    if (!own && (select.value.startsWith("dataset:") || store.title !== untouched.title)) {
      select.value = ""; // to be chosen again
      sliders.replaceChildren();
    }
    if (!select.value) write(description, store.title && store.points.x.length ? `from: ${store.title}` : "");
  });
  const choose = () => {
    const [kind, name] = select.value.split(":");
    const known = store.catalog[`${kind}s`]?.find((found) => found.name === name);
    description.textContent = known?.description ?? "";
    sliders.replaceChildren();
    byId("columns").replaceChildren();
    if (kind === "dataset") return runner.fetch("data", { type: "dataset", name }).then(loaded);
    if (kind !== "generator") return null;
    const make = (parameters) => runner.fetch("data", { type: "generate", name, parameters }).then(loaded);
    sliders.replaceChildren(...parameterFields(known.controls, {}, "generate", make, true));
    return make({});
  };
  select.addEventListener("change", choose);

  store.on("catalog", () => {
    const options = (list, kind) => list.map(({ name, title }) => element("option", { value: `${kind}:${name}` }, title));
    select.replaceChildren(
      element("option", { value: "" }, "Your own points"),
      element("optgroup", { label: "Data sets" }, ...options(store.catalog.datasets, "dataset")),
      element("optgroup", { label: "Generators" }, ...options(store.catalog.generators, "generator")),
    );
  });

  const file = byId("load-csv");
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    const [chosen] = file.files;
    const headers = { "X-Filename": encodeURIComponent(chosen.name) };
    const address = `table?${new URLSearchParams({ token })}`;
    try {
      const answer = await fetch(address, { method: "POST", body: chosen, headers });
      const table = await answer.json();
      if (!answer.ok) return store.tell(table.error, true);
      select.value = "";
      sliders.replaceChildren();
      pickColumns(table, chosen.name, store);
    } catch {
      store.tell(`${chosen.name} could not be sent to the server; is it still running?`, true);
    } finally {
      file.value = "";
    }
  });

  /** The data set that is on the page when it opens. */
  return (name) => {
    select.value = `dataset:${name}`;
    return choose();
  };
}
