/** Numbers of the tube at the pointer. */

import { el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { pixels, size, stage, toDrawing } from "../view.js";
import { contactsOf } from "./forcelayer.js";
import { isPlanning } from "./shown.js";
import { mainTube } from "./tubelayer.js";
import { nearest } from "./tubeshape.js";
import { numberWords } from "./words.js";

/** @typedef {import("../types.js").Design} Design */

const NEAR = 4; // how far from the tube the pointer may be [px]
const tip = el("div", { id: "tube-tip", class: "tube-tip", "aria-hidden": "true", hidden: true });

/** Show them while the pointer moves over the stage, except where the drawing is edited. */
export function mountHover() {
  stage.append(tip);
  stage.addEventListener("pointermove", (event) => {
    const { left, top } = stage.getBoundingClientRect();
    show(event.clientX - left, event.clientY - top, event.buttons > 0);
  });
  stage.addEventListener("pointerleave", hide);
  subscribe(["panel", "run", "view", "time"], hide);
}

function hide() {
  tip.hidden = true;
}

function show(/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ pressed) {
  const tube = pressed || ["draw", "tube"].includes(state.panel) || (state.panel === "plan" && isPlanning()) ? null : mainTube();
  if (!tube) return hide();
  const { course, design, growth } = tube;
  const { along, distance } = nearest(course, toDrawing(x, y));
  if (distance > design.radius + pixels(NEAR)) return hide();
  const segment = growth ? Math.floor(along / (Number(state.run?.tube.segment_length_mm) || Infinity)) : -1;
  const contact = growth ? contactsOf(growth).find((one) => one.segment === segment) : null;
  tip.replaceChildren(
    el("b", {}, `${Math.round(along)} mm`), " along the film", el("br"), sectionWords(design, along),
    ...(contact ? [el("br"), `contact force ${numberWords(contact.force, 2)} N`] : []),
  );
  tip.hidden = false;
  const [wide, high] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${x + 16 + wide > size.width ? x - 12 - wide : x + 16}px`;
  tip.style.top = `${y + 16 + high > size.height ? y - 12 - high : y + 16}px`;
}

function sectionWords(/** @type {Design} */ { sections }, /** @type {number} */ along) {
  const section = sections.find((one) => along < one.end_mm) ?? sections.at(-1);
  if (!section || section.side === "none") return "no actuator";
  const number = sections.slice(0, sections.indexOf(section) + 1).filter((one) => one.side !== "none").length;
  if (section.preformed) return `section ${number}, preformed ${section.side}`;
  const pressure = section.pressurised ? `${numberWords(section.pressure_kpa, 3)} kPa` : "off";
  return `section ${number}, ${section.type ? `${section.type} ` : ""}actuator ${section.side}, ${pressure}`;
}
