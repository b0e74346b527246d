"use strict";

/* What the page was given: the document, and for each run a block of columns. */

async function unpackedBlock(text) {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const ARRAYS = { Uint8Array, Uint16Array, Uint32Array, Int8Array, Int32Array, Float64Array };

/** Give the columns of a run by name, as typed arrays over one buffer. */
function columnsOf(places, buffer) {
  const columns = {};
  for (const [name, place] of Object.entries(places)) {
    columns[name] = new ARRAYS[place.type](buffer, place.at, place.length);
  }
  return columns;
}

/** Give the first index in [low, high) whose value is above `limit`; `values` are sorted. */
function firstAbove(values, limit, low = 0, high = values.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function element(kind, attributes = {}, ...children) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const grouped = (number) => Math.round(number).toLocaleString("en");
