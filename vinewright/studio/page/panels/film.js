/** The film of the growth: a bar at the bottom of the stage with play, a slider over the grown length, and the speed. */

import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { longestGrowth, shownGrowths } from "./growths.js";
import { setText } from "./parts.js";
import { lengthWords } from "./words.js";

const RATE = 100; // of growth, if the tube does not say [mm/s]
const LAST = 1; // so near to the end is the end [mm]
const still = matchMedia("(prefers-reduced-motion: reduce)");

const play = el("button", { type: "button", id: "film-play", class: "play", onclick: toggle });
const slider = el("input", { type: "range", id: "film-time", min: 0, step: 1, "aria-label": "Grown length", oninput: seek });
const label = el("output", { id: "film-label", for: "film-time" });
const speed = el(
  "select", { id: "film-speed", "aria-label": "Speed", title: "Speed, relative to the growth rate of the tube" },
  ...[1, 2, 5, 10, 20].map((factor) => el("option", { value: factor, selected: factor === 5 }, factor === 1 ? "real time" : `${factor} ×`)),
);

let running = 0; // of requestAnimationFrame; 0 while it stands still
let before = 0;
let watched = "";

/** Fill the bar. */
export function mountFilm() {
  const film = byId("film", HTMLElement);
  film.setAttribute("role", "group");
  film.setAttribute("aria-label", "Film of the growth");
  film.append(play, slider, label, speed);
  // What is done here is not done to the drawing beneath.
  for (const name of ["pointerdown", "pointermove", "dblclick", "wheel"]) film.addEventListener(name, (event) => event.stopPropagation());
  subscribe(["growths", "panel", "run", "design", "other"], () => {
    const there = shownGrowths().length > 0;
    film.hidden = !there;
    if (!there) pause();
    else begin();
    showTime();
  });
  subscribe(["time"], showTime);
}

/** Play the growth of a design once by itself, unless the reader wants no motion. */
function begin() {
  const now = `${state.run?.name}/${state.design}`;
  if (now === watched) return;
  watched = now;
  if (still.matches) set({ time: Infinity });
  else start(0);
}

function showTime() {
  const most = longestGrowth();
  const time = Math.min(state.time, most);
  slider.max = String(Math.ceil(most));
  slider.value = String(time);
  const words = `${lengthWords(time)} of ${lengthWords(most)}`;
  slider.setAttribute("aria-valuetext", words);
  setText(label, words);
  showButton();
}

function showButton() {
  setText(play, running ? "Pause" : "Play");
  play.setAttribute("data-playing", String(running > 0));
}

function seek() {
  pause();
  const end = slider.valueAsNumber >= longestGrowth() - LAST;
  set({ time: end ? Infinity : slider.valueAsNumber });
}

function toggle() {
  if (running) pause();
  else start(state.time >= longestGrowth() - LAST ? 0 : state.time);
}

function start(/** @type {number} */ time) {
  before = performance.now();
  set({ time });
  if (!running) running = requestAnimationFrame(step);
  showButton();
}

function pause() {
  cancelAnimationFrame(running);
  running = 0;
  showButton();
}

function step(/** @type {number} */ now) {
  const rate = Number(state.run?.tube.growth_rate_mm_per_s) || RATE;
  const time = state.time + (Math.max(now - before, 0) / 1000) * rate * Number(speed.value);
  before = now;
  const over = !(time < longestGrowth());
  running = over ? 0 : requestAnimationFrame(step);
  set({ time: over ? Infinity : time });
  showButton();
}
