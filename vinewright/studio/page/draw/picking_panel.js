/** The part of the panel that picks points on the picture beneath the drawing, and asks what they mean. */

import { el } from "../dom.js";
import { state } from "../store.js";
import { applyLevel, applyScale } from "./background.js";
import { freeNumberField, lengthOptions, pairFields, positiveFault } from "./fields.js";
import { distance, minus } from "./geometry.js";
import { live } from "./live.js";
import { lengthWithUnit } from "./measures.js";
import { sortCorners } from "./picture.js";
import { PICKINGS, startPicking } from "./picking.js";
import { correctedRectangle, rectifyBackground, setBoundsToRectangle } from "./rectify.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./live.js").Picking} Picking */
/** @typedef {import("./environment_panel.js").Part} Part */

/** Buttons that begin to pick points; while some are picked, what is still missing, and then what they mean. @returns {Part} */
export function pickingPart() {
  const { picks, picking } = live;
  if (!picks) {
    const kinds = /** @type {Picking[]} */ (Object.keys(PICKINGS));
    const button = (/** @type {Picking} */ kind) =>
      el("button", { type: "button", class: "wide", onclick: () => startPicking(kind) }, PICKINGS[kind].button);
    const bounds = boundsField();
    return { fields: [bounds], nodes: [...kinds.map(button), bounds.element] };
  }
  const cancel = el("button", { type: "button", onclick: () => startPicking(null) }, "Cancel");
  const { count, ask } = PICKINGS[picking];
  if (picks.length < count) {
    const left = `${picks.length} of ${count} are picked. Escape ends it.`;
    return { fields: [], nodes: [el("p", { role: "status" }, picks.length ? left : ask), cancel] };
  }
  return { scale: scalePart, level: levelPart, corners: cornersPart }[picking](cancel, picks);
}

/** A button that makes the rectangle by which the picture was corrected the bounds; hidden while there is none. @returns {Field} */
function boundsField() {
  const element = el("button", { type: "button", class: "wide", onclick: setBoundsToRectangle }, "Set the bounds to the rectangle");
  const update = () => {
    const rectangle = correctedRectangle();
    element.hidden = !rectangle;
    if (!rectangle) return;
    const { min, max } = state.doc.bounds;
    // Not hidden: a second click would be on the button below, which removes the picture.
    element.disabled = JSON.stringify([min, max]) === JSON.stringify([rectangle.min, rectangle.max]);
    const [width, height] = minus(rectangle.max, rectangle.min).map(lengthWithUnit);
    element.title = `${width} × ${height}, by which the perspective was corrected`;
  };
  return { element, update };
}

/** The true distance of two points. @returns {Part} */
function scalePart(/** @type {HTMLElement} */ cancel, /** @type {Point[]} */ picks) {
  const measured = el("p", { class: "quiet" });
  const update = () => {
    const [one, other] = live.picks ?? [];
    if (other) measured.textContent = `Now they are ${lengthWithUnit(distance(one, other))} apart. Drag a point to correct it.`;
  };
  const truth = freeNumberField({ label: "true distance", ...lengthOptions(), fault: positiveFault }, roughly(distance(picks[0], picks[1])));
  const apply = () => {
    const value = truth.read();
    if (value !== null) applyScale(value);
  };
  return { fields: [{ element: measured, update }], nodes: [measured, truth.element, applyRow([truth.input], apply, cancel)] };
}

/** The direction of a line. @returns {Part} */
function levelPart(/** @type {HTMLElement} */ cancel) {
  const level = el("button", { type: "button", class: "primary", onclick: () => applyLevel(false) }, "Horizontal");
  const upright = el("button", { type: "button", class: "primary", onclick: () => applyLevel(true) }, "Vertical");
  const words = el("p", { class: "quiet" }, "How is this line? The picture turns about its first point. Drag a point to correct it.");
  return { fields: [], nodes: [words, el("div", { class: "row buttons" }, level, upright, cancel)] };
}

/** The true size of a rectangle. @returns {Part} */
function cornersPart(/** @type {HTMLElement} */ cancel, /** @type {Point[]} */ picks) {
  const [a, b, c, d] = sortCorners(picks);
  const field = (/** @type {string} */ label, /** @type {number} */ measured) =>
    freeNumberField({ label, ...lengthOptions(), fault: positiveFault }, roughly(measured));
  const width = field("true width", (distance(a, b) + distance(c, d)) / 2);
  const height = field("true height", (distance(b, c) + distance(d, a)) / 2);
  const apply = () => {
    const size = [width.read(), height.read()];
    if (size[0] !== null && size[1] !== null) rectifyBackground(size[0], size[1]);
  };
  const words = el("p", { class: "quiet" }, "The picture becomes what a camera straight above sees, to scale. Drag a point to correct it.");
  return { fields: [], nodes: [words, pairFields([width, height]), applyRow([width.input, height.input], apply, cancel)] };
}

/** A length of picked points in whole units of the panel. */
function roughly(/** @type {number} */ length) {
  const { factor } = lengthOptions();
  return Math.round(length / factor) * factor;
}

/** The buttons below inputs, which Enter applies. */
function applyRow(/** @type {HTMLInputElement[]} */ inputs, /** @type {() => void} */ apply, /** @type {HTMLElement} */ cancel) {
  for (const input of inputs) {
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") apply();
    });
  }
  // The click on the last point would take the focus away again.
  setTimeout(() => inputs[0].select());
  return el("div", { class: "row buttons" }, el("button", { type: "button", class: "primary", onclick: apply }, "Apply"), cancel);
}
