/** A photo or floor plan beneath the drawing: loading, scaling, turning, moving. It is not part of the file. */

import { attempt } from "../api.js";
import { beginGesture, editBackground, set, state } from "../store.js";
import { pixels, size, toStage } from "../view.js";
import { newWord } from "./aim.js";
import { angle, direction, distance, middle, minus, normaliseAngle, plus, roundTo, tidy, times } from "./geometry.js";
import { clearGesture, live, show } from "./live.js";
import { angleText } from "./measures.js";
import { pictureCentre, pictureCorners, turnedPlace } from "./picture.js";
import { PICKINGS } from "./picking.js";
import { sendPicture } from "./pictures.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Background} Background */
/** @typedef {import("./aim.js").Press} Press */
/** @typedef {import("./aim.js").Gesture} Gesture */
/** @typedef {import("./handles.js").Handle} Handle */

const OPACITY = 0.5; // of a new picture
const TURN_HANDLE = "picture";
const COVER = 0.5; // of obstacles over a picture
const SIDES = [90, 180, -90, 0]; // directions in which they lie [degrees]
const HANDLE = 24; // distance of the handle from the picture [px]
const NEAR = 12; // distance at which a picked point is dragged on [px]

/** Load a picture, as large as the bounds allow, and choose the tool that moves it. */
export function loadBackground(/** @type {Blob} */ file) {
  return attempt(async () => {
    const { key, src, notKept } = await sendPicture(file);
    const image = new Image();
    image.src = src;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const { min, max } = state.doc.bounds;
    const scale = Math.min((max[0] - min[0]) / width, (max[1] - min[1]) / height);
    show({ picks: null });
    editBackground({ key, src, width, height, x: min[0], y: min[1], turn: 0, scale, opacity: OPACITY, cover: COVER });
    set({ tool: "background", panel: "draw", ...(notKept ? { message: notKept } : {}) });
  });
}

/** Remove the picture. */
export function removeBackground() {
  show({ picks: null });
  editBackground(null);
}

/** Change the picture; changes with the same word are one step of undo. */
export function changeBackground(/** @type {Partial<Background>} */ changes, /** @type {string | null} */ merge = null) {
  if (state.background) editBackground({ ...state.background, ...changes }, merge);
}

/** Scale the picture about its lower left corner or another point. */
export function scaleBackground(/** @type {number} */ factor, /** @type {Point} */ about) {
  const { background } = state;
  if (!background) return;
  const corner = plus(about, times(minus([background.x, background.y], about), factor));
  changeBackground({ x: tidy(corner[0]), y: tidy(corner[1]), scale: background.scale * factor });
}

/** Turn the picture about its centre or another point; turns with the same word are one step of undo. */
export function turnBackground(/** @type {number} */ degrees, /** @type {Point | null} */ about = null, /** @type {string | null} */ merge = null) {
  const { background } = state;
  if (background) changeBackground(turnedPlace(background, degrees, about ?? pictureCentre(background)), merge);
}

/** Turn the picture so that the line through the two picked points is level, or upright; the first one stays where it is. */
export function applyLevel(/** @type {boolean} */ upright) {
  const [first, second] = live.picks ?? [];
  if (!second || !distance(first, second)) return;
  // By the smaller turn: a line has no direction.
  const off = ((angle(first, second) - (upright ? 90 : 0) + 270) % 180) - 90;
  turnBackground(-off, first);
  show({ picks: null });
}

/** Scale the picture so that the two picked points have their true distance; the first one stays where it is. */
export function applyScale(/** @type {number} */ truth) {
  const [first, second] = live.picks ?? [];
  const measured = second ? distance(first, second) : 0;
  if (!measured) return;
  scaleBackground(truth / measured, first);
  show({ picks: null });
}

/** @type {import("./aim.js").Tool} */
export const backgroundTool = {
  title: "Background picture", hotkey: "I", hint: "", cursor: "move",
  press(press) {
    if (live.picks) return pick(press, live.picks);
    if (!state.background) return null;
    return press.handle === TURN_HANDLE ? turn(press, state.background) : drag(press, state.background);
  },
  leave() {
    const busy = live.picks !== null;
    show({ picks: null });
    clearGesture();
    return busy;
  },
};

/** Pick a point, or drag one that is picked. @returns {Gesture | null} */
function pick(/** @type {Press} */ press, /** @type {Point[]} */ picks) {
  let index = picks.findIndex((one) => distance(one, press.at) <= pixels(NEAR));
  if (index < 0) {
    if (picks.length === PICKINGS[live.picking].count) return null;
    index = picks.length;
  }
  const put = (/** @type {Press} */ now) => {
    const next = [...(live.picks ?? [])];
    next[index] = now.at;
    show({ picks: next });
  };
  put(press);
  return { move: put, done: () => {}, cancel: () => show({ picks }) };
}

/** @returns {Gesture} */
function drag(/** @type {Press} */ from, /** @type {Background} */ before) {
  const [word, goBack] = [newWord("picture"), beginGesture()];
  return {
    move({ at }) {
      const [dx, dy] = minus(at, from.at);
      changeBackground({ x: tidy(before.x + dx), y: tidy(before.y + dy) }, word);
    },
    done: () => {},
    cancel: goBack,
  };
}

/** Turn the picture with its handle: by tenths of a degree, or with Shift in steps of 15 degrees. @returns {Gesture} */
function turn(/** @type {Press} */ from, /** @type {Background} */ before) {
  const [word, goBack, centre] = [newWord("picture"), beginGesture(), pictureCentre(before)];
  return {
    move({ at, shift }) {
      const degrees = normaliseAngle(roundTo(before.turn + angle(centre, at) - angle(centre, from.at), shift ? 15 : 0.1));
      changeBackground(turnedPlace(before, degrees - before.turn, centre), word);
      show({ dimensions: [{ from: at, to: at, text: angleText(degrees) }] });
    },
    done: clearGesture,
    cancel() {
      goBack();
      clearGesture();
    },
  };
}

/** The handle of the picture, while its tool is chosen and no points are picked. @returns {Pick<Handle, "name" | "kind" | "at" | "away" | "cursor" | "title">[]} */
export function pictureHandles() {
  const { background, tool } = state;
  if (!background || tool !== "background" || live.picks) return [];
  const corners = pictureCorners(background);
  const title = "Turn the picture (Shift: steps of 15°)";
  const made = SIDES.map((angle, k) => {
    const [x, y] = times(direction(background.turn + angle), HANDLE);
    const at = middle(corners[(k + 2) % 4], corners[(k + 3) % 4]);
    return { name: TURN_HANDLE, kind: /** @type {const} */ ("turn"), at, away: /** @type {Point} */ ([x, -y]), cursor: "grab", title };
  });
  // At the upper side, unless that is out of view.
  return [made.find(({ at, away }) => isInView(plus(toStage(at), away))) ?? made[0]];
}

function isInView(/** @type {Point} */ [x, y]) {
  return x > HANDLE && y > HANDLE && x < size.width - HANDLE && y < size.height - HANDLE;
}
