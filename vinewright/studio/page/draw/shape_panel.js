/** The fields of a selected shape, and what can be done with several. */

import { el } from "../dom.js";
import { numberField, numberInput } from "../number_input.js";
import { edit, state } from "../store.js";
import { deleteSelected, duplicate, turnSelected } from "./actions.js";
import { withCoordinate } from "./environment_panel.js";
import { ANGLE, freeNumberField, lengthOptions, pairFields, positiveFault } from "./fields.js";
import { middle } from "./geometry.js";
import { live, show } from "./live.js";
import { hasExtent, moveObjects, replaceShape, withCorner, withNewCorner, withoutCorner } from "./shapes.js";
import { iconButton } from "./toolbar.js";

/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../number_input.js").NumberOptions} NumberOptions */
/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./environment_panel.js").Part} Part */

const MOST_CORNERS = 60; // rows of the table; those of larger polygons are dragged

/** The selected shape as it is now. */
function findShape(/** @type {number} */ id) {
  return state.doc.shapes.find((shape) => shape.id === id);
}

/** A number of a row. */
function rowField(
  /** @type {number} */ id, /** @type {string} */ label, /** @type {(row: number[]) => number} */ value,
  /** @type {(row: number[], value: number) => number[]} */ change, /** @type {Partial<NumberOptions>} */ limits = {},
) {
  return numberField({
    label, ...lengthOptions(), ...limits,
    value: () => {
      const row = findShape(id)?.row;
      return row?.length ? value(row) : undefined;
    },
    apply(wanted) {
      const shape = findShape(id);
      if (!shape) return;
      const next = { ...shape, row: change(shape.row, wanted) };
      if (hasExtent(next)) edit((doc) => replaceShape(doc, next));
    },
  });
}

const POSITIVE = { fault: positiveFault };
const at = (/** @type {number} */ k) => (/** @type {number[]} */ row) => row[k];
const set = (/** @type {number} */ k) => (/** @type {number[]} */ row, /** @type {number} */ value) =>
  row.map((one, n) => (n === k ? value : one));

/** @returns {Part} */
export function shapePart(/** @type {Shape} */ { id, kind }) {
  if (kind === "polygon") return polygonPart(id);
  const fields = { box: boxFields, circle: circleFields, wall: wallFields }[kind](id);
  return { fields, nodes: [pairFields(fields)] };
}

function boxFields(/** @type {number} */ id) {
  const move = (/** @type {0 | 1} */ k) => (/** @type {number[]} */ row, /** @type {number} */ value) =>
    row.map((one, n) => (n % 2 === k ? one + value - row[k] : one));
  return [
    rowField(id, "x", at(0), move(0)),
    rowField(id, "y", at(1), move(1)),
    rowField(id, "width", (row) => row[2] - row[0], (row, value) => [row[0], row[1], row[0] + value, row[3]], POSITIVE),
    rowField(id, "height", (row) => row[3] - row[1], (row, value) => [row[0], row[1], row[2], row[1] + value], POSITIVE),
  ];
}

function circleFields(/** @type {number} */ id) {
  return [rowField(id, "x", at(0), set(0)), rowField(id, "y", at(1), set(1)), rowField(id, "radius", at(2), set(2), POSITIVE)];
}

function wallFields(/** @type {number} */ id) {
  const ends = [0, 1, 2, 3].map((k) => {
    const fault = (/** @type {number} */ value) => {
      const row = set(k)(findShape(id)?.row ?? [], value);
      return row[0] === row[2] && row[1] === row[3] ? "would put both ends at one point" : null;
    };
    return rowField(id, `${"xy"[k % 2]} ${k < 2 ? 1 : 2}`, at(k), set(k), { fault });
  });
  return [...ends, rowField(id, "thickness", at(4), set(4), { min: 0 })];
}

// ---- polygons ----

const CORNERS = {
  class: "corners", "aria-label": "Corners", onkeydown: handleArrow,
  "aria-description": "The right arrow at the end of a number goes on to the buttons that insert and delete corners.",
};

/** Go through the numbers and buttons of a corner with left and right, and from a button to the same button of the next corner with up and down. */
function handleArrow(/** @type {KeyboardEvent} */ event) {
  const { target, key } = event;
  const [across, along] = [{ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0, { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0];
  if (!(target instanceof HTMLElement) || event.defaultPrevented || !(across || along) || event.ctrlKey || event.altKey || event.shiftKey) return;
  if (target instanceof HTMLInputElement) {
    const edge = across > 0 ? target.value.length : 0;
    if (!across || target.selectionStart !== edge || target.selectionEnd !== edge) return;
  }
  const row = target.closest("tr");
  const controls = (/** @type {Element | null | undefined} */ of) => [...(of?.querySelectorAll("input, button") ?? [])];
  const at = controls(row).indexOf(target);
  const next = across ? controls(row)[at + across] : controls(along > 0 ? row?.nextElementSibling : row?.previousElementSibling)[at];
  event.preventDefault();
  if (next instanceof HTMLElement) next.focus();
}

/** Round a length for display: turning makes more digits than can be cut. */
function roundReadable(/** @type {number | undefined} */ value) {
  if (value === undefined || Math.abs(value - Math.round(1000 * value) / 1000) < 1e-9) return value;
  return Math.round(10 * value) / 10;
}

/** @returns {Part} */
function polygonPart(/** @type {number} */ id) {
  const count = findShape(id)?.corners.length ?? 0;
  /** @type {Field[]} */
  const fields = [];
  const rows = Array.from({ length: Math.min(count, MOST_CORNERS) }, (_, k) => {
    const inputs = /** @type {const} */ ([0, 1]).map((axis) => cornerInput(id, k, axis));
    fields.push(...inputs);
    const insert = iconButton("insert", `Insert a corner after corner ${k + 1}`, () => change(id, (shape) => {
      const next = shape.corners[(k + 1) % shape.corners.length];
      return withNewCorner(shape, k + 1, middle(shape.corners[k], next));
    }));
    const remove = iconButton("cross", `Delete corner ${k + 1}`, () => change(id, (shape) => withoutCorner(shape, k)));
    remove.disabled = count <= 3;
    // Tab goes from corner to corner; arrows go to the buttons.
    insert.tabIndex = remove.tabIndex = -1;
    const activate = () => show({ corner: k });
    return el(
      "tr", { onfocusin: activate, class: "corner-row" },
      el("th", { scope: "row" }, String(k + 1)), ...inputs.map((input) => el("td", {}, input.element)), el("td", {}, insert, remove),
    );
  });
  const head = el("tr", {}, ...["", `x [${state.unit}]`, `y [${state.unit}]`, ""].map((text) => el("th", {}, text)));
  const table = el("table", CORNERS, el("thead", {}, head), el("tbody", {}, ...rows));
  const more = count > MOST_CORNERS && el("p", { class: "quiet" }, `${count - MOST_CORNERS} more corners: drag them in the drawing.`);
  return { fields, nodes: more ? [table, more] : [table] };
}

function cornerInput(/** @type {number} */ id, /** @type {number} */ k, /** @type {0 | 1} */ axis) {
  return numberInput({
    name: `corner ${k + 1} ${"xy"[axis]}`, ...lengthOptions(), value: () => roundReadable(findShape(id)?.corners[k]?.[axis]),
    apply: (value) => change(id, (shape) => withCorner(shape, k, withCoordinate(shape.corners[k], axis, value))),
  });
}

function change(/** @type {number} */ id, /** @type {(shape: Shape) => Shape} */ make) {
  const shape = findShape(id);
  if (shape) edit((doc) => replaceShape(doc, make(shape)));
  if (live.corner !== null && live.corner >= (findShape(id)?.corners.length ?? 0)) show({ corner: null });
}

// ---- several ----

/** Move, turn, duplicate and delete. @returns {Part} */
export function arrangePart(/** @type {boolean} */ shapesOnly) {
  const [dx, dy] = ["x", "y"].map((axis) => freeNumberField({ label: axis, name: `move by ${axis}`, ...lengthOptions() }));
  const turn = freeNumberField({ label: "turn", name: "turn by", ...ANGLE }, 15);
  const move = () => edit((doc) => moveObjects(doc, state.selection, [dx.read() ?? 0, dy.read() ?? 0]));
  const rotate = () => turnSelected(turn.read() ?? 0);
  onEnter([dx.input, dy.input], move);
  onEnter([turn.input], rotate);
  const nodes = [
    el("h2", {}, "Arrange"),
    el("div", { class: "arrange" }, dx.element, dy.element, el("button", { type: "button", onclick: move }, "Move")),
    el("div", { class: "arrange" }, turn.element, el("span"), el("button", { type: "button", onclick: rotate }, "Turn")),
  ];
  if (shapesOnly) {
    const copy = el("button", { type: "button", onclick: duplicate }, "Duplicate");
    const remove = el("button", { type: "button", onclick: deleteSelected }, "Delete");
    nodes.push(el("div", { class: "row buttons" }, copy, remove));
  }
  return { fields: [], nodes };
}

function onEnter(/** @type {HTMLInputElement[]} */ inputs, /** @type {() => void} */ act) {
  for (const input of inputs) {
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") act();
    });
  }
}
