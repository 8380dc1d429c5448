/** Icons, as paths of 20 by 20 pixels. */

import { svg } from "../dom.js";

/** @type {Record<string, string>} */
const PATHS = {
  select: "M5 3.5l10.5 6.2-4.7 1.2-2.3 4.4z",
  box: "M3.5 5.5h13v9h-13z",
  polygon: "M10 3.2l6.8 5-2.6 8H5.8l-2.6-8z",
  circle: "M10 3.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13z",
  wall: "M3.2 14.3L14.3 3.2l2.5 2.5L5.7 16.8z",
  start: "M4 4v12M4 7h6a3 3 0 013 3v0a3 3 0 01-3 3H4M15 7.5l2.5 2.5-2.5 2.5",
  goal: "M10 3.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM10 8a2 2 0 100 4 2 2 0 000-4z",
  background: "M3.5 4.5h13v11h-13zM3.5 13l3.6-3.6 3.2 3.2 2-2 4.2 4M12.6 7a1 1 0 100 2 1 1 0 000-2z",
  measure: "M3 12.5L12.5 3l4.5 4.5L7.5 17zM6 9.5l1.7 1.7M8.5 7l2.4 2.4M11 4.5l1.7 1.7",
  left: "M3.5 3v14M6 5.5h10v3H6zM6 11.5h6v3H6z",
  centre: "M10 3v14M5 5.5h10v3H5zM7 11.5h6v3H7z",
  right: "M16.5 3v14M4 5.5h10v3H4zM8 11.5h6v3H8z",
  top: "M3 3.5h14M5.5 6h3v10h-3zM11.5 6h3v6h-3z",
  middle: "M3 10h14M5.5 5h3v10h-3zM11.5 7h3v6h-3z",
  bottom: "M3 16.5h14M5.5 4h3v10h-3zM11.5 8h3v6h-3z",
  columns: "M3.5 3v14M16.5 3v14M8 6h4v8H8z",
  rows: "M3 3.5h14M3 16.5h14M6 8h8v4H6z",
  "mirror-x": "M10 3v14M7.5 6v8L3 14zM12.5 6v8l4.5 0z",
  "mirror-y": "M3 10h14M6 7.5h8L6 3zM6 12.5h8L6 17z",
  union: "M3.5 3.5h9v4h4v9h-9v-4h-4z",
  difference: "M3.5 3.5h9v4h-5v5h-4zM9.5 9.5h7v7h-7z",
  lock: "M5.5 9h9v7.5h-9zM7.5 9V6.5a2.5 2.5 0 015 0V9",
  hide: "M2.5 10c3.5-5 11.5-5 15 0-3.5 5-11.5 5-15 0zM4 16L16 4",
  group: "M3.5 3.5h7v7h-7zM9.5 9.5h7v7h-7z",
  ungroup: "M3.5 3.5h5v5h-5zM11.5 11.5h5v5h-5zM9.5 10.5l1-1",
  undo: "M7.5 4L4 7.5 7.5 11M4 7.5h8a4 4 0 010 8H8",
  redo: "M12.5 4L16 7.5 12.5 11M16 7.5H8a4 4 0 000 8h4",
  duplicate: "M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4",
  remove: "M4 5.5h12M8 5.5V3.5h4v2M5.5 5.5l.7 11h7.6l.7-11M8.5 8.5v5M11.5 8.5v5",
  snap: "M4.5 3.5v6.5a5.5 5.5 0 0011 0V3.5h-3.5v6.5a2 2 0 01-4 0V3.5zM4.5 7h3.5M12 7h3.5",
  tube: "M10 4a6 6 0 100 12 6 6 0 000-12zM1.5 10h3M15.5 10h3",
  passages: "M3.5 3.5v13M16.5 3.5v13M5.5 10h9M7.5 8l-2 2 2 2M12.5 8l2 2-2 2",
  in: "M10 4.5v11M4.5 10h11",
  out: "M4.5 10h11",
  fit: "M3.5 7V3.5H7M13 3.5h3.5V7M16.5 13v3.5H13M7 16.5H3.5V13M7 7.5h6v5H7z",
  copy: "M10 3.5v9M6.5 9l3.5 3.5L13.5 9M4 13.5v3h12v-3",
  insert: "M10 5v10M5 10h10",
  cross: "M6 6l8 8M14 6l-8 8",
};

/** An icon; the button around it has the name. */
export function icon(/** @type {string} */ name) {
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true", focusable: "false" }, svg("path", { d: PATHS[name] }));
}
