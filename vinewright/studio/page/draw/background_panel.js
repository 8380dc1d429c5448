/** The fields of the background picture. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { state } from "../store.js";
import { newWord } from "./aim.js";
import { changeBackground, loadBackground, removeBackground, scaleBackground, turnBackground } from "./background.js";
import { ANGLE, lengthOptions, pairFields, positiveFault } from "./fields.js";
import { pickingPart } from "./picking_panel.js";

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
  const [opacity, cover] = [shareField("Opacity", "opacity"), shareField("Opacity of obstacles over it", "cover")];
  const numbers = placeFields();
  const remove = el("button", { type: "button", onclick: removeBackground }, "Remove");
  const picking = pickingPart();
  return {
    fields: [opacity, cover, ...numbers, ...picking.fields],
    nodes: [
      el("h2", {}, "Background"), opacity.element, cover.element, pairFields(numbers), ...picking.nodes,
      el("div", { class: "row buttons" }, choose, remove), chooser,
    ],
  };
}

/** @returns {Field} */
function shareField(/** @type {string} */ label, /** @type {"opacity" | "cover"} */ key) {
  let word = newWord(key);
  const apply = () => changeBackground({ [key]: input.valueAsNumber }, word);
  // Each drag of the slider is one step of undo.
  const end = () => void (word = newWord(key));
  const input = el("input", { type: "range", min: 0, max: 1, step: 0.05, oninput: apply, onchange: end });
  const element = el("label", { class: "text" }, el("span", { class: "name" }, label), input);
  return { element, update: () => void (input.value = String(state.background?.[key] ?? 0)) };
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
    numberField({
      label: "angle", ...ANGLE, min: -360, max: 360, digits: 4, value: () => state.background?.turn,
      apply: (value) => turnBackground(value - (state.background?.turn ?? 0)),
    }),
  ];
}
