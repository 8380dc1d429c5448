/** Numbers as text. */

/** @typedef {"mm" | "cm" | "in" | "ft"} Unit */

/**
 * The units of lengths that panels can show: size [mm], name, and number of digits of a number that can be edited.
 * @type {Record<Unit, {size: number, name: string, digits: number}>}
 */
export const UNITS = {
  mm: { size: 1, name: "millimetres", digits: 9 },
  cm: { size: 10, name: "centimetres", digits: 9 },
  in: { size: 25.4, name: "inches", digits: 6 },
  ft: { size: 304.8, name: "feet", digits: 6 },
};

/** The unit after another one, in a circle. */
export function nextUnit(/** @type {Unit} */ unit) {
  const units = /** @type {Unit[]} */ (Object.keys(UNITS));
  return units[(units.indexOf(unit) + 1) % units.length];
}

/** A length in mm as text in the unit of the panels. */
export function lengthText(/** @type {number} */ mm, /** @type {Unit} */ unit) {
  const value = mm / UNITS[unit].size;
  // Inches and feet are seldom whole: a ten-thousandth of them is well below all that is cut.
  return String(unit === "in" || unit === "ft" ? Number(value.toFixed(4)) : round(value));
}

/** Round a number to significant digits, which removes the noise of floating point. */
export function round(/** @type {number} */ value, digits = 10) {
  return Number(value.toPrecision(digits));
}

/** A number with its noun: `1 object`, `2 objects`. */
export function plural(/** @type {number} */ count, /** @type {string} */ noun) {
  return count === 1 ? `${count} ${noun}` : `${count} ${noun}s`;
}
