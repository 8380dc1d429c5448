/** Arrangement of what is selected: move, turn, align, mirror, repeat, combine, group, lock, hide. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { edit, set, state } from "../store.js";
import { deleteSelected, duplicate, markSelected, turnSelected } from "./actions.js";
import { alignObjects, distributeObjects, groupShapes, mirrorObjects, repeatShapes, ungroupShapes } from "./arrange.js";
import { combineSelected } from "./combine.js";
import { ANGLE, freeNumberField, lengthOptions } from "./fields.js";
import { moveObjects, shapesIn } from "./shapes.js";
import { iconButton } from "./toolbar.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("./shapes.js").Ids} Ids */
/** @typedef {import("./environment_panel.js").Part} Part */
/** @typedef {{icon: string, title: string, act: () => void, least: number, fits?: (shape: Shape) => boolean}} Action `least`: number of objects that it needs, `fits`: whether it is for a shape */

const MOST_COPIES = 2000; // of one repetition

/** An action that changes the drawing. @returns {Action} */
function change(/** @type {string} */ icon, /** @type {string} */ title, /** @type {number} */ least, /** @type {(doc: Doc, ids: Ids) => Doc} */ make) {
  return { icon, title, least, act: () => edit((doc) => make(doc, state.selection)) };
}

/** Actions on several objects, in rows of buttons, and in the menu of the stage. @type {Action[][]} */
export const ACTIONS = [
  [
    change("left", "Align left", 1, (doc, ids) => alignObjects(doc, ids, "left")),
    change("centre", "Align centres across", 1, (doc, ids) => alignObjects(doc, ids, "centre")),
    change("right", "Align right", 1, (doc, ids) => alignObjects(doc, ids, "right")),
    change("top", "Align at the top", 1, (doc, ids) => alignObjects(doc, ids, "top")),
    change("middle", "Align middles", 1, (doc, ids) => alignObjects(doc, ids, "middle")),
    change("bottom", "Align at the bottom", 1, (doc, ids) => alignObjects(doc, ids, "bottom")),
  ],
  [
    change("columns", "Equal gaps across", 3, (doc, ids) => distributeObjects(doc, ids, 0)),
    change("rows", "Equal gaps upwards", 3, (doc, ids) => distributeObjects(doc, ids, 1)),
    change("mirror-x", "Mirror left and right", 1, (doc, ids) => mirrorObjects(doc, ids, 0)),
    change("mirror-y", "Mirror up and down", 1, (doc, ids) => mirrorObjects(doc, ids, 1)),
    { icon: "union", title: "Unite", least: 2, act: () => void combineSelected("union") },
    { icon: "difference", title: "Subtract the others from the first one", least: 2, act: () => void combineSelected("difference") },
  ],
  [
    change("group", "Group (Ctrl+G)", 2, groupShapes),
    { ...change("ungroup", "Ungroup (Ctrl+Shift+G)", 1, ungroupShapes), fits: (shape) => shape.group !== null },
    { icon: "lock", title: "Lock", least: 1, act: () => markSelected({ locked: true }) },
    { icon: "hide", title: "Hide", least: 1, act: () => markSelected({ hidden: true }) },
  ],
];

/** The actions of a row that can be taken with the selection. */
export function usableActions(/** @type {Action[]} */ row) {
  const shapes = shapesIn(state.doc, state.selection);
  return row.filter(({ least, fits }) => state.selection.size >= least && (!fits || shapes.some(fits)));
}

/** Fields and buttons for what is selected. @returns {Part} */
export function arrangePart(/** @type {boolean} */ shapesOnly) {
  const [dx, dy] = ["x", "y"].map((axis) => freeNumberField({ label: axis, name: `move by ${axis}`, ...lengthOptions() }));
  const turn = freeNumberField({ label: "turn", name: "turn by", ...ANGLE }, 15);
  const move = () => edit((doc) => moveObjects(doc, state.selection, [dx.read() ?? 0, dy.read() ?? 0]));
  const rotate = () => turnSelected(turn.read() ?? 0);
  onEnter([dx.input, dy.input], move);
  onEnter([turn.input], rotate);
  const rows = ACTIONS.map((row) => el("div", { class: "row actions" }, ...usableActions(row).map(({ icon, title, act }) => iconButton(icon, title, act))));
  /** @type {Node[]} */
  const nodes = [
    el("h2", {}, "Arrange"), ...rows,
    el("div", { class: "arrange" }, dx.element, dy.element, el("button", { type: "button", onclick: move }, "Move")),
    el("div", { class: "arrange" }, turn.element, el("span"), el("button", { type: "button", onclick: rotate }, "Turn")),
  ];
  if (shapesOnly) {
    const copy = el("button", { type: "button", onclick: duplicate }, "Duplicate");
    const remove = el("button", { type: "button", onclick: deleteSelected }, "Delete");
    nodes.push(el("div", { class: "row buttons" }, copy, remove), repeatPart());
  }
  return { fields: [], nodes };
}

/** Fields of a repetition in columns and rows. */
function repeatPart() {
  const counts = ["columns", "rows"].map((label, k) => {
    let value = k ? 1 : 2;
    const field = numberField({ label, min: 1, max: MOST_COPIES, step: 1, value: () => value, apply: (typed) => (value = Math.round(typed)) });
    field.update();
    return field;
  });
  const spacing = ["x", "y"].map((axis) => freeNumberField({ label: `every ${axis}`, name: `spacing along ${axis}`, ...lengthOptions() }, 100));
  const repeat = () => {
    const [columns, rows] = counts.map((field) => Math.round(field.read() ?? 1));
    if (columns * rows > MOST_COPIES) return set({ message: `At most ${MOST_COPIES} copies at a time.` });
    const by = /** @type {Point} */ (spacing.map((field) => field.read() ?? 0));
    const { doc, made } = repeatShapes(state.doc, state.selection, [columns, rows], by);
    edit(() => doc);
    set({ selection: new Set([...state.selection, ...made.map((shape) => shape.id)]) });
  };
  return el(
    "details", { class: "repeat" }, el("summary", {}, "Repeat in columns and rows"),
    el("div", { class: "numbers" }, ...[...counts, ...spacing].map((field) => field.element)),
    el("button", { type: "button", onclick: repeat }, "Repeat"),
  );
}

/** The part for a locked shape. @returns {Part} */
export function lockedPart() {
  const unlock = el("button", { type: "button", onclick: () => markSelected({ locked: false }) }, "Unlock");
  return { fields: [], nodes: [el("p", { class: "quiet" }, "It is locked: the pointer passes it by."), unlock] };
}

function onEnter(/** @type {HTMLInputElement[]} */ inputs, /** @type {() => void} */ act) {
  for (const input of inputs) {
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") act();
    });
  }
}
