// The procedure and its parameters. Controls are made from the parameter table of the class, as the server tells it;
// only what differs from the default is sent back.

import { byId, element, field } from "./dom.js";
import { newSlot } from "./state.js";

/**
 * @typedef {Object} Control
 * @property {string} name @property {string} label @property {"number" | "choice" | "flag"} control
 * @property {*} default @property {number | null} [low] @property {number | null} [high] @property {boolean} [closed]
 * @property {boolean} [whole] @property {Array} [options] @property {string} [help]
 */

const worded = (value) => (Array.isArray(value) && value.length ? value.join(", ") : String(value ?? "none") || "none");

/** An input for one parameter; `read` gives its value, undefined where it says nothing. */
function input(control, value, id, slider) {
  if (control.control === "flag") {
    const box = element("input", { type: "checkbox", id, checked: Boolean(value) });
    return { node: box, read: () => box.checked };
  }
  if (control.control === "choice") {
    const at = control.options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
    const options = control.options.map((option, i) =>
      element("option", { value: i, selected: i === at }, worded(option)));
    const select = element("select", { id }, ...options);
    return { node: select, read: () => control.options[Number(select.value)] };
  }
  const range = slider && control.low !== null && control.high !== null;
  const step = control.whole ? 1 : range ? (control.high - control.low) / 100 : "any";
  const box = element("input", {
    id, type: range ? "range" : "number", step, min: control.low, max: control.high, value: value ?? "",
    placeholder: control.default === null ? "automatic" : "", inputmode: range ? null : "decimal",
  });
  return { node: box, read: () => (Number.isNaN(box.valueAsNumber) ? undefined : box.valueAsNumber) };
}

/**
 * Fields for a list of parameters.
 * @param {Control[]} controls @param {Object} values that differ from the defaults
 * @param {(values: Object) => void} changed
 */
export function parameterFields(controls, values, prefix, changed, slider = false) {
  const readers = [];
  const gathered = () => {
    const found = {};
    for (const [control, read] of readers) {
      const value = read();
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(control.default)) found[control.name] = value;
    }
    return found;
  };
  return controls.map((control) => {
    const id = `${prefix}-${control.name}`;
    const value = Object.hasOwn(values, control.name) ? values[control.name] : control.default; // null can be chosen
    const { node, read } = input(control, value, id, slider);
    readers.push([control, read]);
    const made = field(control.label, node, control.help);
    made.dataset.parameter = control.name;
    if (node.type === "range") {
      const shown = element("span", { class: "value" }, node.value);
      made.querySelector("label").append(" ", shown);
      node.addEventListener("input", () => (shown.textContent = node.value));
    }
    node.addEventListener("input", () => changed(gathered()));
    return made;
  });
}

/** A select of all procedures, in their groups. */
export function fillProcedures(select, procedures, chosen) {
  const groups = Map.groupBy(procedures, (procedure) => procedure.group);
  select.replaceChildren(...[...groups].map(([group, members]) =>
    element("optgroup", { label: group },
      ...members.map(({ name, title }) => element("option", { value: name, selected: name === chosen }, title)))));
}

/** @param {import("./state.js").Store} store @param {import("./runner.js").Runner} runner */
export function controlsView(store, runner) {
  const [select, list, seed] = [byId("procedure"), byId("parameters"), byId("seed")];
  let drawn = null; // procedure and slot that the fields belong to

  const change = (parameters) => {
    store.slots[0].parameters = parameters;
    runner.run(0);
  };
  const show = () => {
    const slot = store.slots[0];
    const plan = store.catalog?.procedures.find(({ name }) => name === slot.procedure);
    if (!plan) return;
    if (drawn !== slot) {
      drawn = slot;
      fillProcedures(select, store.catalog.procedures, slot.procedure);
      byId("procedure-sentence").textContent = plan.sentence;
      byId("equation").replaceChildren(...plan.equation.map((line) => element("p", {}, line)));
      list.replaceChildren(...parameterFields(plan.parameters, slot.parameters, "parameter", change));
      seed.value = store.seed;
    }
    for (const made of list.children) {
      const fault = made.dataset.parameter === slot.parameter ? slot.error : "";
      made.querySelector(".fault").textContent = fault;
      made.querySelector("input, select").setAttribute("aria-invalid", String(Boolean(fault)));
    }
  };
  select.addEventListener("change", () => {
    store.slots[0] = { ...newSlot(select.value), recording: store.slots[0].recording };
    store.wanted = null;
    runner.run(0);
    store.change("problem");
  });
  seed.addEventListener("input", () => {
    if (!Number.isInteger(seed.valueAsNumber) || seed.valueAsNumber < 0) return;
    store.seed = seed.valueAsNumber;
    store.slots.forEach((_, index) => runner.run(index));
  });
  const explain = (event) => {
    const text = event.target.closest(".field")?.querySelector(".help")?.textContent;
    if (text) byId("parameter-help").textContent = text;
  };
  const panel = list.parentElement;
  for (const kind of ["focusin", "pointerover"]) panel.addEventListener(kind, explain);
  store.on("catalog problem", show);
}
