/** The fields of the environment itself: its name, bounds, start, goal and walls. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { edit, state } from "../store.js";
import { ANGLE, checkField, choiceField, lengthOptions, pairFields, positiveFault, textField } from "./fields.js";
import { objectList } from "./object_list.js";
import { shownName } from "./words.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./fields.js").Field} Field */
/** @typedef {{fields: Field[], nodes: Node[]}} Part */

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 2000;
const MOST_FRICTION = 10;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Fields that are shown while nothing is selected. @returns {Part} */
export function environmentPart() {
  const name = textField(
    "Name", () => state.doc.name, (text) => edit((doc) => ({ ...doc, name: text.trim() })), (text) => textFault(text, LONGEST_NAME),
  );
  // A file without a name has the name of the file.
  name.input.placeholder = shownName();
  const description = textField(
    "Description", () => state.doc.description, (text) => edit((doc) => ({ ...doc, description: text })),
    (text) => textFault(text, LONGEST_DESCRIPTION), 2,
  );
  const bounds = boundsPart();
  const walls = wallFields();
  const list = objectList();
  return {
    fields: [name, description, ...bounds.fields, ...walls, list],
    nodes: [
      el("h2", {}, "Environment"), name.element, description.element,
      el("h2", {}, "Bounds"), ...bounds.nodes,
      el("h2", {}, "Walls"), ...walls.map((field) => field.element),
      el("h2", {}, "Objects"), list.element,
    ],
  };
}

function textFault(/** @type {string} */ text, /** @type {number} */ longest) {
  if (text.length > longest) return `must have at most ${longest} characters`;
  return CONTROL.test(text) ? "must be without control characters" : null;
}

/** @returns {Field[]} */
function wallFields() {
  return [
    choiceField("Ends", [["flat", "flat"], ["round", "round"]], () => state.doc.ends, (ends) => edit((doc) => ({ ...doc, ends }))),
    numberField({
      label: "Friction", placeholder: "as the tube", min: 0, max: MOST_FRICTION, value: () => state.doc.friction,
      apply: (friction) => edit((doc) => ({ ...doc, friction })),
      clear: () => edit((doc) => ({ ...doc, friction: null })),
    }),
  ];
}

/** @returns {Part} */
export function boundsPart() {
  const end = (/** @type {"min" | "max"} */ side, /** @type {0 | 1} */ axis) =>
    numberField({
      label: `${"xy"[axis]} ${side}`, ...lengthOptions(), value: () => state.doc.bounds[side][axis],
      apply: (value) => edit((doc) => ({ ...doc, bounds: { ...doc.bounds, [side]: withCoordinate(doc.bounds[side], axis, value) } })),
      fault(value) {
        const { min, max } = state.doc.bounds;
        if (side === "min") return value < max[axis] ? null : "must be less than max";
        return value > min[axis] ? null : "must be more than min";
      },
    });
  const numbers = [end("min", 0), end("min", 1), end("max", 0), end("max", 1)];
  const edge = choiceField(
    "Edge", [["open", "open: the axis stays inside"], ["table", "table: the tube stays on it"], ["wall", "wall: solid"]],
    () => state.doc.bounds.edge, (word) => edit((doc) => ({ ...doc, bounds: { ...doc.bounds, edge: word } })),
  );
  const stacked = checkField(
    "The tube may lie on itself", () => state.doc.bounds.stacked,
    (on) => edit((doc) => ({ ...doc, bounds: { ...doc.bounds, stacked: on } })),
  );
  return { fields: [...numbers, edge, stacked], nodes: [pairFields(numbers), edge.element, stacked.element] };
}

/** Return a point with a coordinate replaced. @returns {Point} */
export function withCoordinate(/** @type {Point} */ point, /** @type {number} */ axis, /** @type {number} */ value) {
  return axis ? [point[0], value] : [value, point[1]];
}

/** @returns {Part} */
export function startPart() {
  const numbers = [
    ...positionFields("start"),
    numberField({
      label: "heading", ...ANGLE, min: -360, max: 360, value: () => state.doc.start.heading_deg,
      apply: (value) => edit((doc) => ({ ...doc, start: { ...doc.start, heading_deg: value } })),
    }),
  ];
  const mount = choiceField(
    "Mount", [["free", "free: stands in the open"], ["wall", "wall: out of an obstacle"]], () => state.doc.start.mount,
    (word) => edit((doc) => ({ ...doc, start: { ...doc.start, mount: word } })),
  );
  return { fields: [...numbers, mount], nodes: [pairFields(numbers), mount.element] };
}

/** @returns {Part} */
export function goalPart() {
  const numbers = [
    ...positionFields("goal"),
    numberField({
      label: "radius", ...lengthOptions(), value: () => state.doc.goal.radius,
      apply: (value) => edit((doc) => ({ ...doc, goal: { ...doc.goal, radius: value } })),
      fault: positiveFault,
    }),
  ];
  return { fields: numbers, nodes: [pairFields(numbers)] };
}

function positionFields(/** @type {"start" | "goal"} */ name) {
  return /** @type {const} */ ([0, 1]).map((axis) =>
    numberField({
      label: "xy"[axis], ...lengthOptions(), value: () => state.doc[name].position[axis],
      apply: (value) => edit((doc) => ({ ...doc, [name]: { ...doc[name], position: withCoordinate(doc[name].position, axis, value) } })),
    }),
  );
}
