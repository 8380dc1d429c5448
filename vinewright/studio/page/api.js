/** Requests to the server, and its events. Every request carries the token of the page's address. */

import { set } from "./store.js";

const WRONG_TOKEN = 1008; // what the server closes a socket with
const token = location.hash.slice(1);

/** The one-line message of an error. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Send a request; returns its response.
 * @param {string} method
 * @param {string} path
 * @param {BodyInit} [body]
 * @returns {Promise<Response>}
 */
async function send(method, path, body) {
  let response;
  try {
    response = await fetch(path, { method, body, headers: { "X-Vinewright-Token": token }, cache: "no-store" });
  } catch {
    throw new Refused(0, "the studio does not answer: has it been stopped in the terminal?");
  }
  if (response.ok) return response;
  const reply = await response.json().catch(() => ({}));
  throw new Refused(response.status, reply.error ?? `the studio answered ${response.status}`);
}

/** The JSON of a GET request. */
export async function get(/** @type {string} */ path) {
  return (await send("GET", path)).json();
}

/** The JSON of a POST request with a JSON body. */
export async function post(/** @type {string} */ path, /** @type {unknown} */ content) {
  return (await send("POST", path, JSON.stringify(content))).json();
}

/** Send a picture. Returns it as the server encoded it, the key under which it is kept, and why it is not; empty if it is. */
export async function postPicture(/** @type {Blob} */ file) {
  const response = await send("POST", "/api/image", file);
  const notKept = decodeURIComponent(response.headers.get("X-Vinewright-Not-Kept") ?? "");
  return { blob: await response.blob(), key: response.headers.get("X-Vinewright-Picture") ?? "", notKept };
}

/** The bytes that the server answers to a GET request. */
export async function fetchBlob(/** @type {string} */ path) {
  return (await send("GET", path)).blob();
}

/** Download a path of the server as a file. */
export async function download(/** @type {string} */ path, /** @type {string} */ name) {
  saveBlob(await fetchBlob(path), name);
}

/** Offer a blob as a file to save. */
export function saveBlob(/** @type {Blob} */ blob, /** @type {string} */ name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Run an action that may be refused, and show the reason at the bottom. */
export async function attempt(/** @type {() => Promise<void>} */ work) {
  try {
    await work();
  } catch (error) {
    set({ message: error instanceof Error ? error.message : String(error) });
  }
}

/** @type {Map<string, ((event: any) => void)[]>} */
const handlers = new Map();

/** Handle the events of a type; `connected` and `lost` are events of the connection itself. */
export function addHandler(/** @type {string} */ type, /** @type {(event: any) => void} */ handler) {
  handlers.set(type, [...(handlers.get(type) ?? []), handler]);
}

function handle(/** @type {any} */ event) {
  for (const handler of handlers.get(event.type) ?? []) handler(event);
}

/** Keep a connection to the server's events; a lost one is made again. */
export function listen() {
  const socket = new WebSocket(`ws://${location.host}/api/events`);
  socket.onopen = () => socket.send(JSON.stringify({ token }));
  socket.onmessage = (message) => handle(JSON.parse(message.data));
  socket.onclose = ({ code }) => {
    document.body.removeAttribute("data-connected");
    handle({ type: "lost" });
    if (code === WRONG_TOKEN) set({ message: "The studio was started again: open the address that its terminal shows." });
    else setTimeout(listen, 1000);
  };
}
