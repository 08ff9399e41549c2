// Tables: filled from data, sorted by a column, copied. Words enter as text, never as markup.

function element(name, properties = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("--")) made.style.setProperty(key, value);
    else made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

const nameOf = (text) => element("bdi", {}, text);
const bar = (width, text, colour) => {
  const percent = (100 * Math.min(Math.max(width, 0), 1)).toFixed(1) + "%";
  return [element("span", { class: "bar " + colour, "--w": percent }), text];
};
const heat = (value, text) =>
  element("span", { class: "heat", "--v": Math.round(100 * Math.max(value, 0)) + "%" }, text);

function fill(id, caption, rows) {
  const table = document.getElementById(id);
  table.caption.querySelector("span").textContent = caption;
  table.closest(".box").setAttribute("aria-label", caption);
  const kinds = [...table.tHead.rows[0].cells].map((cell) => cell.className);
  const body = element("tbody");
  for (const cells of rows) {
    const row = element("tr");
    cells.forEach((cell, i) => {
      const made = element("td");
      if (kinds[i] && kinds[i] !== "text") made.className = kinds[i];
      made.append(...(Array.isArray(cell) ? cell : [cell]));
      row.append(made);
    });
    body.append(row);
  }
  table.tBodies[0].replaceWith(body);
  for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
}

function number(text) {
  const found = parseFloat(text.replace(/[,%]/g, ""));
  return Number.isNaN(found) ? -Infinity : found;
}

function sort(table, column, head) {
  const numeric = head.className !== "text" && head.className !== "before" && head.className !== "hit";
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : numeric;
  const rows = [...table.tBodies[0].rows];
  const text = (row) => row.cells[column].textContent;
  const compare = numeric
    ? (a, b) => number(text(a)) - number(text(b))
    : (a, b) => text(a).localeCompare(text(b));
  rows.sort((a, b) => (down ? compare(b, a) : compare(a, b)));
  table.tBodies[0].append(...rows);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element("button", { type: "button", class: "sort" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(table, column, head));
  });
}

function tabbed(table) {
  const rows = [...table.tHead.rows, ...table.tBodies[0].rows];
  const clean = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  return rows.map((row) => [...row.cells].map(clean).join("\t")).join("\n") + "\n";
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // a page inside a notebook may not use the clipboard itself
    const area = element("textarea", { class: "away" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function makeCopyable(table) {
  const button = element("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    const done = await copyText(tabbed(table));
    button.textContent = done ? "Copied" : "Not allowed here";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  button.setAttribute("aria-label", "Copy this table");
  table.caption.firstElementChild.append(button);
}
