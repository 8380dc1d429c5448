/** Numbers and results in words, with their units. */

import { plural } from "../text.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").Success} Success */

/** A length: in metres from one metre on, else in millimetres. */
export function lengthWords(/** @type {number} */ mm) {
  return mm >= 1000 ? `${(mm / 1000).toFixed(2)} m` : `${Math.round(mm)} mm`;
}

/** A number as text with few digits. */
export function numberWords(/** @type {number} */ value, digits = 4) {
  return String(Number(value.toPrecision(digits)));
}

/** A share of 1 as a number of percent. Only what is certain is 0 or 100. */
export function percent(/** @type {number} */ share) {
  const value = 100 * share;
  const close = (value > 0 && value < 1) || (value > 99 && value < 100);
  return close ? value.toFixed(1) : String(Math.round(value));
}

/** A time. */
export function secondsWords(/** @type {number} */ seconds) {
  const whole = Math.floor(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A number of actuators in words. */
export function actuatorsWords(/** @type {number} */ count) {
  return count === 0 ? "no actuator" : plural(count, "actuator");
}

/** A success in short: `92 % (89–95)`. */
export function successShort(/** @type {{reached: number, trials: number, low: number, high: number}} */ one) {
  return `${percent(one.reached / one.trials)} % (${percent(one.low)}–${percent(one.high)})`;
}

/** Name of errors within a sentence. */
export function errorsWords(/** @type {string} */ errors) {
  if (errors === "none") return "no errors";
  return /errors?$/.test(errors) ? errors : `${errors} errors`;
}

/** A design and its success in one line. */
export function designWords(/** @type {Design} */ { actuators, length, success, missed }) {
  const made = `${actuatorsWords(actuators)}, ${lengthWords(length)}${missed && `, ${missed} as planned`}`;
  if (!success && missed) return made;
  if (!success) return `${made}, reaches the goal if everything is as planned; no trials yet`;
  const { trials, errors } = success;
  return `${made}, reaches the goal in ${successShort(success)} of ${trials} trials under ${errorsWords(errors)}`;
}

/** A key of a file without its unit, as words: `obstacle_position_mm` is `obstacle position`. */
export function keyWords(/** @type {string} */ name) {
  const words = name.replace(/_(n_per_m|n_m2|g_per_m|mm_per_s|mm|kpa|um|mpa|deg|percent|n|s)$/, "").replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

/** A unit as it is shown. */
export function unitWords(/** @type {string} */ unit) {
  return unit === "deg" ? "°" : unit;
}

/** A date and time of the day, in the reader's manner. */
export function dateWords(/** @type {string} */ iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleString(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** A text with a capital letter at its beginning, as a sentence. */
export function withFirstLarge(/** @type {string} */ text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}
