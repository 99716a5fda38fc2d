// Hands on the plane: click to place, drag to move, pan and zoom; and all of it again with keys.

import { byId, digits } from "./dom.js";
import { tickStep } from "./geometry.js";

const NEAR = 14; // pixels within which a point is meant
const STILL = 5; // pixels that a click may wander
const FINEST = 1e-12; // of where it lies: a narrower view would show the steps of floating point

/** @param {import("./plane.js").Plane} plane @param {import("./state.js").Store} store */
export function handle(plane, store) {
  const { host } = plane;
  const surface = byId("surface"); // takes the focus: a region is a place, not a tool
  host.addEventListener("focus", () => surface.focus({ preventScroll: true }));
  const fingers = new Map();
  let drag = null; // {row, fresh} moves a point; {pan: true, from, box, click} moves the view
  let space = false;

  const position = (event) => [event.offsetX, event.offsetY]; // what lies on the plane takes no events itself
  const unitsPerPixel = () => {
    const { box } = store;
    return [(box.x1 - box.x0) / plane.size.width, (box.y1 - box.y0) / plane.size.height];
  };
  /** As many decimals as a pixel can tell: nobody means 0.8273645. */
  const plain = (value, unit) => Number(value.toFixed(Math.min(100, Math.max(0, Math.ceil(-Math.log10(unit))))));
  const data = ([x, y]) => {
    const [u, v] = unitsPerPixel();
    return [plain(store.box.x0 + x * u, u), plain(store.box.y1 - y * v, v)];
  };

  function nearest([x, y]) {
    const { X, Y } = plane.frame();
    let [best, distance] = [-1, NEAR];
    store.points.x.forEach((at, row) => {
      const away = Math.hypot(X(at[0]) - x, Y(at[1]) - y);
      if (away < distance) [best, distance] = [row, away];
    });
    return best;
  }

  /** Whether floating point can tell the pixels of this view apart. */
  const fine = (low, high) => high - low > Math.max(FINEST * Math.abs(low + high), Number.MIN_VALUE / FINEST);

  function look(box) {
    store.box = box;
    store.moved = true;
    store.change("view");
  }

  function zoom(factor, [x, y]) {
    const { x0, x1, y0, y1 } = store.box;
    const [s, t] = [x / plane.size.width, 1 - y / plane.size.height];
    const [cx, cy] = [x0 + s * (x1 - x0), y0 + t * (y1 - y0)];
    const from = (c, low) => c + (low - c) * factor;
    const box = { x0: from(cx, x0), x1: from(cx, x1), y0: from(cy, y0), y1: from(cy, y1) };
    const finite = Number.isFinite(box.x1 - box.x0) && Number.isFinite(box.y1 - box.y0);
    if (factor > 1 ? finite : fine(box.x0, box.x1) && fine(box.y0, box.y1)) look(box);
  }

  function pan(box, dx, dy) {
    const [u, v] = [(box.x1 - box.x0) / plane.size.width, (box.y1 - box.y0) / plane.size.height];
    look({ x0: box.x0 - dx * u, x1: box.x1 - dx * u, y0: box.y0 + dy * v, y1: box.y1 + dy * v });
  }

  /** Two fingers: their middle pans, their distance zooms. */
  function pinch() {
    const [a, b] = [...fingers.values()];
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const apart = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (drag?.apart) {
      pan(store.box, middle[0] - drag.middle[0], middle[1] - drag.middle[1]);
      zoom(drag.apart / apart, middle);
    }
    drag = { middle, apart };
  }

  host.addEventListener("pointerdown", (event) => {
    const at = position(event);
    fingers.set(event.pointerId, at);
    host.setPointerCapture(event.pointerId);
    surface.focus({ preventScroll: true });
    plane.cursor = null;
    if (fingers.size === 2) return pinch();
    const row = event.button === 0 && !space && !store.replay ? nearest(at) : -1;
    if (row >= 0) {
      store.select(row);
      drag = { row, fresh: true, from: at };
    } else {
      drag = { pan: true, from: at, box: store.box, click: event.button === 0 && !space && !store.replay };
    }
  });

  host.addEventListener("pointermove", (event) => {
    const at = position(event);
    if (!fingers.has(event.pointerId)) {
      host.classList.toggle("near", !store.replay && nearest(at) >= 0);
      return;
    }
    fingers.set(event.pointerId, at);
    if (fingers.size === 2) return pinch();
    if (!drag?.from || Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) < (drag.live ? 0 : STILL)) return;
    drag.live = true;
    if (drag.pan) return pan(drag.box, at[0] - drag.from[0], at[1] - drag.from[1]);
    store.move(drag.row, data(at), drag.fresh);
    drag.fresh = false;
  });

  const release = (event) => {
    if (event.type === "pointerup" && drag?.click && !drag.live) store.place(data(position(event)));
    fingers.delete(event.pointerId);
    drag = null;
  };
  host.addEventListener("pointerup", release);
  host.addEventListener("pointercancel", release);
  host.addEventListener("contextmenu", (event) => event.preventDefault());
  host.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), position(event));
  }, { passive: false });

  /** A fifth of the distance between two lines of the grid. */
  const stride = () => {
    const found = (low, high, room) => (tickStep(low, high, Math.max(3, room)) || (high - low) / 4) / 5;
    const { box } = store;
    return [found(box.x0, box.x1, plane.size.width / 90), found(box.y0, box.y1, plane.size.height / 80)];
  };

  function shift([dx, dy], point) {
    const [u, v] = stride();
    const round = (value) => Number(value.toPrecision(14));
    if (point && store.selected >= 0) {
      const [x, y] = store.points.x[store.selected];
      store.move(store.selected, [round(x + dx * u), round(y + dy * v)], true);
      return say();
    }
    const { box } = store;
    const middle = [Math.round((box.x0 + box.x1) / 2 / u) * u, Math.round((box.y0 + box.y1) / 2 / v) * v];
    const [x, y] = plane.cursor ?? middle;
    plane.cursor = plane.cursor ? [round(x + dx * u), round(y + dy * v)] : middle.map(round);
    store.change("selection");
    store.tell(`cursor at (${plane.cursor.map((c) => digits(c)).join(", ")}); Enter places a point`);
  }

  function pick(by) {
    const n = store.points.x.length;
    if (n === 0) return;
    store.select(store.selected < 0 ? (by > 0 ? 0 : n - 1) : (store.selected + by + n) % n);
    say();
  }

  function say() {
    const { points, selected } = store;
    const [x, y] = points.x[selected];
    const own = points.classes[points.y[selected]];
    store.tell(`row ${selected} of ${points.x.length}, class ${own}, at (${digits(x)}, ${digits(y)})`);
  }

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const middle = () => [plane.size.width / 2, plane.size.height / 2];
  const keys = {
    "]": () => pick(1),
    "[": () => pick(-1),
    Delete: () => store.selected >= 0 && store.remove(store.selected),
    Backspace: () => store.selected >= 0 && store.remove(store.selected),
    Enter: () => (plane.cursor ? store.place(plane.cursor) : shift([0, 0], false)),
    Escape: () => {
      plane.cursor = null;
      store.select(-1);
    },
    ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [String(n), () => choose(n - 1)])),
  };
  function choose(own) {
    if (own < store.points.classes.length) store.chosen = own;
    store.change("selection");
  }

  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    const action = arrow ? () => shift(arrow, event.shiftKey) : keys[event.key];
    const looking = { "+": () => zoom(0.8, middle()), "-": () => zoom(1.25, middle()), 0: () => plane.fit() }[event.key];
    if (event.key === " ") space = true;
    else if (looking) looking();
    else if (!action || store.replay) return;
    else action();
    event.preventDefault();
  });
  host.addEventListener("keyup", (event) => {
    if (event.key === " ") space = false;
  });
  surface.addEventListener("blur", () => {
    space = false;
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input:not([type=range]):not([type=radio]), textarea");
    if (store.replay || typing || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) store.redo();
    else store.undo();
  });
}
