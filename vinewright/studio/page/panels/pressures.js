/** The table of the sections with an actuator; sections that have begun to grow are marked. */

import { el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { swatch, table } from "./parts.js";
import { actuatedOf } from "./shown.js";
import { numberWords } from "./words.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").Section} Section */

/** The table of a design, kept up to date. */
export function pressureTable(/** @type {string} */ id, /** @type {() => Design | null} */ designNow) {
  const place = el("div", { id, class: "pressures" });
  const sectionsNow = () => {
    const design = designNow();
    return design ? actuatedOf(design) : [];
  };
  subscribe(["run", "design", "other"], () => {
    const sections = sectionsNow();
    if (!sections.length) place.replaceChildren(el("p", { class: "quiet" }, "This design has no actuators."));
    else place.replaceChildren(tableOf(sections));
    markActive(place, sections);
  });
  subscribe(["time", "growths", "panel"], () => markActive(place, sectionsNow()));
  return place;
}

/** The table; it has a column of types if there are several. */
function tableOf(/** @type {Section[]} */ sections) {
  const mixed = sections.some(({ type }) => type);
  const heads = ["No.", ...(mixed ? ["Type"] : []), "Side", ">From–to [mm]", ">Cell [mm]", ">kPa"];
  const rows = sections.map((section, k) => {
    const [number, ...cells] = rowOf(section, k);
    return [number, ...(mixed ? [section.type ?? "–"] : []), ...cells];
  });
  return table("Pressures by section", heads, rows);
}

function rowOf(/** @type {Section} */ { side, start_mm, end_mm, l0_mm, pressure_kpa, pressurised, preformed }, /** @type {number} */ k) {
  const look = pressurised ? `actuator-${side}` : "actuator-off";
  const number = el("span", { class: "number-cell" }, swatch(look), String(k + 1));
  if (preformed) return [number, side, `${numberWords(start_mm)}–${numberWords(end_mm)}`, "–", "preformed"];
  return [number, side, `${numberWords(start_mm)}–${numberWords(end_mm)}`, numberWords(l0_mm, 3), pressurised ? numberWords(pressure_kpa, 3) : "off"];
}

function markActive(/** @type {HTMLElement} */ place, /** @type {Section[]} */ sections) {
  const rows = place.querySelectorAll("tbody tr");
  sections.forEach((section, k) => rows[k]?.classList.toggle("active", section.start_mm < state.time && section.pressurised));
}
