// Parts of drawings.
const SVG = "http://www.w3.org/2000/svg";

/** Return a new element of a drawing, with attributes and what it shows as its title. */
export function shape(tag, attributes, title) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (title) made.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: title }));
  return made;
}
