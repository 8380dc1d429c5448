/** The fields of a selected shape. */

import { el } from "../dom.js";
import { numberField, numberInput } from "../number_input.js";
import { edit, state } from "../store.js";
import { withCoordinate } from "./environment_panel.js";
import { ANGLE, lengthOptions, pairFields, positiveFault, textField } from "./fields.js";
import { angle, direction, distance, middle, plus, tidy, times, turnedRow } from "./geometry.js";
import { live, show } from "./live.js";
import { hasExtent, makePolygon, replaceShape, withCorner, withNewCorner, withoutCorner } from "./shapes.js";
import { iconButton } from "./toolbar.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../number_input.js").NumberOptions} NumberOptions */
/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./environment_panel.js").Part} Part */

const LONGEST_NAME = 40; // as in environments/file_model.py
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

const ANGLE_LIMITS = { ...ANGLE, factor: 1, digits: 7, min: -360, max: 360 };
const POSITIVE = { fault: positiveFault };
const at = (/** @type {number} */ k) => (/** @type {number[]} */ row) => row[k];
const set = (/** @type {number} */ k) => (/** @type {number[]} */ row, /** @type {number} */ value) =>
  row.map((one, n) => (n === k ? value : one));

/** @returns {Part} */
export function shapePart(/** @type {Shape} */ { id, kind }) {
  if (kind === "polygon") return polygonPart(id);
  const fields = { box: boxFields, circle: circleFields, wall: wallFields }[kind](id);
  const name = nameField(id);
  const nodes = [name.element, pairFields(fields)];
  if (kind === "box") nodes.push(el("div", { class: "row buttons" }, el("button", { type: "button", onclick: () => change(id, makePolygon) }, "Make a polygon")));
  return { fields: [name, ...fields], nodes };
}

/** The name of an obstacle, which messages and pictures show beside its kind and number. */
function nameField(/** @type {number} */ id) {
  const fault = (/** @type {string} */ text) => (text.trim().length > LONGEST_NAME ? `must have at most ${LONGEST_NAME} characters` : null);
  const apply = (/** @type {string} */ text) => change(id, (shape) => ({ ...shape, name: text.trim() }));
  return textField("Name", () => findShape(id)?.name ?? "", apply, fault);
}

function boxFields(/** @type {number} */ id) {
  const turned = (/** @type {number[]} */ row) => row[4] ?? 0;
  const size = (/** @type {number[]} */ [x0, y0, x1, y1]) => /** @type {Point} */ ([x1 - x0, y1 - y0]);
  const centre = (/** @type {number[]} */ [x0, y0, x1, y1]) => middle([x0, y0], [x1, y1]);
  const move = (/** @type {0 | 1} */ k, /** @type {(row: number[]) => number} */ from) => (/** @type {number[]} */ row, /** @type {number} */ value) =>
    row.map((one, n) => (n < 4 && n % 2 === k ? one + value - from(row) : one));
  const angleField = rowField(id, "angle", turned, (row, value) => turnedRow(centre(row), size(row), value), ANGLE_LIMITS);
  if (turned(findShape(id)?.row ?? [])) {
    const [x, y] = /** @type {const} */ ([0, 1]).map((k) => (/** @type {number[]} */ row) => centre(row)[k]);
    const resize = (/** @type {0 | 1} */ k) => (/** @type {number[]} */ row, /** @type {number} */ value) => {
      const [width, height] = size(row);
      return turnedRow(centre(row), k ? [width, value] : [value, height], turned(row));
    };
    return [
      rowField(id, "centre x", x, move(0, x)), rowField(id, "centre y", y, move(1, y)),
      rowField(id, "width", (row) => size(row)[0], resize(0), POSITIVE), rowField(id, "height", (row) => size(row)[1], resize(1), POSITIVE), angleField,
    ];
  }
  return [
    rowField(id, "x", at(0), move(0, at(0))),
    rowField(id, "y", at(1), move(1, at(1))),
    rowField(id, "width", (row) => row[2] - row[0], (row, value) => [row[0], row[1], row[0] + value, row[3]], POSITIVE),
    rowField(id, "height", (row) => row[3] - row[1], (row, value) => [row[0], row[1], row[2], row[1] + value], POSITIVE),
    angleField,
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
  const from = (/** @type {number[]} */ row) => /** @type {Point} */ ([row[0], row[1]]);
  const to = (/** @type {number[]} */ row) => /** @type {Point} */ ([row[2], row[3]]);
  // The first end stays where it is.
  const place = (/** @type {number[]} */ row, /** @type {number} */ degrees, /** @type {number} */ length) =>
    [...from(row), ...plus(from(row), times(direction(degrees), length)).map(tidy), row[4]];
  const length = (/** @type {number[]} */ row) => distance(from(row), to(row));
  const heading = (/** @type {number[]} */ row) => angle(from(row), to(row));
  return [
    ...ends, rowField(id, "length", length, (row, value) => place(row, heading(row), value), POSITIVE),
    rowField(id, "angle", heading, (row, value) => place(row, value, length(row)), ANGLE_LIMITS),
    rowField(id, "thickness", at(4), set(4), { min: 0 }),
  ];
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
  const name = nameField(id);
  const more = count > MOST_CORNERS && el("p", { class: "quiet" }, `${count - MOST_CORNERS} more corners: drag them in the drawing.`);
  return { fields: [name, ...fields], nodes: more ? [name.element, table, more] : [name.element, table] };
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
