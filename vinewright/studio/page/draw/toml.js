/** The file of a drawing, as the page writes it by itself: in millimetres, without what only the opened file has. */

/** @typedef {import("../types.js").Content} Content */

/** Write a drawing as TOML. */
export function tomlOf(/** @type {Content} */ { name, description, tube, bounds, start, goal, obstacles }) {
  const top = { schema: 2, name: name || null, description: description || null, unit: "mm", tube };
  return [linesOf(top), tableOf("bounds", bounds), tableOf("start", start), tableOf("goal", goal), tableOf("obstacles", obstacles)].join("\n");
}

function tableOf(/** @type {string} */ name, /** @type {Record<string, unknown>} */ table) {
  return `[${name}]\n${linesOf(table)}`;
}

/** Lines of a table; a key without a value has none. */
function linesOf(/** @type {Record<string, unknown>} */ table) {
  const given = Object.entries(table).filter(([, value]) => value !== null);
  return given.map(([key, value]) => `${key} = ${valueOf(value)}\n`).join("");
}

/** A value: strings of JSON are strings of TOML but for one character, and so are its numbers. @returns {string} */
function valueOf(/** @type {unknown} */ value) {
  if (!Array.isArray(value)) return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
  const parts = value.map(valueOf);
  return Array.isArray(value[0]) ? `[\n${parts.map((part) => `  ${part},\n`).join("")}]` : `[${parts.join(", ")}]`;
}
