// vecsim in a worker: answers the questions of the page, one after the other.
import { openClassroom } from "./classroom.mjs";

const read = async (name) => {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};
const opened = openClassroom(read, new URL("pyodide/", import.meta.url).href);
opened.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data: { id, question } }) => {
  const answer = await opened;
  try {
    postMessage({ id, answer: answer(question) });
  } catch (error) {
    const last = String(error.message).trim().split("\n").at(-1);
    postMessage({ id, answer: { mistakes: [{ line: 0, column: 1, text: last }] } });
  }
};
