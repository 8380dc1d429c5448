/** The fields of the background picture. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { state } from "../store.js";
import { applyScale, changeBackground, loadBackground, removeBackground, scaleBackground } from "./background.js";
import { freeNumberField, lengthOptions, pairFields, positiveFault } from "./fields.js";
import { distance } from "./geometry.js";
import { live, show } from "./live.js";
import { lengthWithUnit } from "./measures.js";
import { chooseTool } from "./actions.js";

/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./environment_panel.js").Part} Part */

const chooser = el("input", {
  type: "file", id: "background-file", accept: "image/png,image/jpeg,image/webp", hidden: true, "aria-label": "Background picture",
  onchange() {
    const file = chooser.files?.[0];
    if (file) loadBackground(file);
    chooser.value = "";
  },
});

/** @returns {Part} */
export function backgroundPart() {
  const words = state.background ? "Another picture…" : "Choose a picture…";
  const choose = el("button", { type: "button", onclick: () => chooser.click() }, words);
  if (!state.background) {
    const intro = "A photo or floor plan to draw on. You can also drop or paste one. It is kept with the drawing, not in its file.";
    return { fields: [], nodes: [el("h2", {}, "Background"), el("p", { class: "quiet" }, intro), choose, chooser] };
  }
  const opacity = opacityField();
  const numbers = placeFields();
  const remove = el("button", { type: "button", onclick: removeBackground }, "Remove");
  const scale = scalePart();
  return {
    fields: [opacity, ...numbers, ...scale.fields],
    nodes: [
      el("h2", {}, "Background"), opacity.element, pairFields(numbers), ...scale.nodes,
      el("div", { class: "row buttons" }, choose, remove), chooser,
    ],
  };
}

/** @returns {Field} */
function opacityField() {
  const apply = () => changeBackground({ opacity: input.valueAsNumber }, "opacity");
  const input = el("input", { type: "range", min: 0, max: 1, step: 0.05, oninput: apply });
  const element = el("label", { class: "text" }, el("span", { class: "name" }, "Opacity"), input);
  return { element, update: () => void (input.value = String(state.background?.opacity ?? 0)) };
}

/** Round a length to tenths of a millimetre, the accuracy of picked points. */
function roundToTenths(/** @type {number | undefined} */ value) {
  return value === undefined ? undefined : Math.round(value * 10) / 10;
}

function placeFields() {
  const width = () => roundToTenths(state.background ? state.background.width * state.background.scale : undefined);
  return [
    numberField({ label: "x", ...lengthOptions(), value: () => roundToTenths(state.background?.x), apply: (x) => changeBackground({ x }) }),
    numberField({ label: "y", ...lengthOptions(), value: () => roundToTenths(state.background?.y), apply: (y) => changeBackground({ y }) }),
    numberField({
      label: "width", ...lengthOptions(), value: width, fault: positiveFault,
      apply(value) {
        const { background } = state;
        if (background) scaleBackground(value / (background.width * background.scale), [background.x, background.y]);
      },
    }),
  ];
}

/** The two-point scale: it asks for two points, then for their distance. @returns {Part} */
function scalePart() {
  const { picks } = live;
  const begin = () => {
    chooseTool("background");
    show({ picks: [] });
  };
  if (!picks) {
    const button = el("button", { type: "button", class: "wide", onclick: begin }, "Set the scale by two points");
    return { fields: [], nodes: [button] };
  }
  const cancel = el("button", { type: "button", onclick: () => show({ picks: null }) }, "Cancel");
  if (picks.length < 2) {
    const text = picks.length ? "Click the second point." : "Click two points of the picture whose distance you know.";
    return { fields: [], nodes: [el("p", { role: "status" }, text), cancel] };
  }
  const measured = el("p", { class: "quiet" });
  const update = () => {
    const [one, other] = live.picks ?? [];
    if (other) measured.textContent = `Now they are ${lengthWithUnit(distance(one, other))} apart. Drag a point to correct it.`;
  };
  const { factor } = lengthOptions();
  const rough = Math.round(distance(picks[0], picks[1]) / factor) * factor;
  const truth = freeNumberField({ label: "true distance", ...lengthOptions(), fault: positiveFault }, rough);
  const apply = () => {
    const value = truth.read();
    if (value !== null) applyScale(value);
  };
  truth.input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") apply();
  });
  // The click on the second point would take the focus away again.
  setTimeout(() => truth.input.select());
  const confirm = el("button", { type: "button", class: "primary", onclick: apply }, "Apply");
  const buttons = el("div", { class: "row buttons" }, confirm, cancel);
  return { fields: [{ element: measured, update }], nodes: [measured, truth.element, buttons] };
}
