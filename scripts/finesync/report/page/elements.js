// Small helpers: everything on the page is made by these.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// An element with attributes (a property where there is one, as for onclick) and children; texts are
// texts, never markup.
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== ""));
  return made;
}

// Text with names between backticks.
function withNames(text) {
  return text.split("`").map((part, place) => (place % 2 ? make("b", {}, part) : part));
}

// Choices are values with their texts, and perhaps the names of their groups, which follow each other.
function fill(select, choices, chosen) {
  select.replaceChildren();
  for (const [value, text, label] of choices) {
    if (label && select.lastElementChild?.label !== label) select.append(make("optgroup", { label }));
    (label ? select.lastElementChild : select).append(make("option", { value, selected: value === chosen }, text));
  }
  select.disabled = choices.length < 2;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function commandBlock(lines) {
  return make("pre", { tabIndex: 0 }, make("code", {}, lines.join("\n")));
}

// 'does not hold' as the name of a class.
const slug = (words) => words.replaceAll(" ", "-");

// A file of the repository, linked from a page within it.
function fileLink(path) {
  return make("a", data.root ? { href: data.root + path } : {}, path);
}
