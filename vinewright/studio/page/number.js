/** Numbers as people type them: with a decimal comma, a unit, or as a small calculation such as `2*(30+4.5) cm`. */

const LENGTHS = /** @type {Record<string, number>} */ ({ mm: 1, cm: 10, m: 1000, in: 25.4, ft: 304.8 });
const TOKEN = /\s*(?:(\d+(?:[.,]\d*)?|[.,]\d+)|([-+*/()])|(mm|cm|m|in|ft|°))/y;

/** A comma that separates thousands for some, and decimals for others. */
const AMBIGUOUS = /(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.,])/;

/** The number in a text that can be read in two ways, such as `1,200`; null if there is none. */
export function ambiguousNumber(/** @type {string} */ text) {
  return AMBIGUOUS.exec(text)?.[0] ?? null;
}

/**
 * Read a number from a text; NaN if it is none, or one that can be read in two ways.
 * @param {string} text
 * @param {string} unit unit of the result, and of a number without one: a length may be typed in another unit of length
 */
export function parseNumber(text, unit) {
  const isLength = unit in LENGTHS;
  const tokens = (ambiguousNumber(text) ? null : splitTokens(text.trim())) ?? ["?"]; // no number
  let at = 0;
  const next = () => tokens[at];

  /** @returns {number} */
  function sum() {
    let value = product();
    while (next() === "+" || next() === "-") value = tokens[at++] === "+" ? value + product() : value - product();
    return value;
  }

  /** @returns {number} */
  function product() {
    let value = factor();
    while (next() === "*" || next() === "/") value = tokens[at++] === "*" ? value * factor() : value / factor();
    return value;
  }

  /** @returns {number} */
  function factor() {
    if (next() === "-" || next() === "+") return tokens[at++] === "-" ? -factor() : factor();
    let value = NaN;
    if (next() === "(") {
      at += 1;
      value = sum();
      if (tokens[at++] !== ")") return NaN;
    } else value = Number(tokens[at++]);
    return convert(value);
  }

  /** Convert a number from the unit behind it. */
  function convert(/** @type {number} */ value) {
    const given = next();
    if (given === "°" && !isLength) at += 1;
    else if (given && given in LENGTHS) {
      at += 1;
      return isLength ? (value * LENGTHS[given]) / LENGTHS[unit] : NaN;
    }
    return value;
  }

  const value = sum();
  return at === tokens.length ? value : NaN;
}

/** Split a text into numbers, operators and units; null if it has anything else. */
function splitTokens(/** @type {string} */ text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) return null;
    tokens.push(match[1] ? match[1].replace(",", ".") : (match[2] ?? match[3]));
  }
  return tokens;
}
