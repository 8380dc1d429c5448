/** Numbers as text. */

/** A length in mm as text in the unit of the panels. */
export function lengthText(/** @type {number} */ mm, /** @type {"mm" | "cm"} */ unit) {
  return String(round(unit === "cm" ? mm / 10 : mm));
}

/** Round a number to significant digits, which removes the noise of floating point. */
export function round(/** @type {number} */ value, digits = 10) {
  return Number(value.toPrecision(digits));
}

/** A number with its noun: `1 object`, `2 objects`. */
export function plural(/** @type {number} */ count, /** @type {string} */ noun) {
  return count === 1 ? `${count} ${noun}` : `${count} ${noun}s`;
}
