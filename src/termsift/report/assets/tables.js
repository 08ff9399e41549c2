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
const shaded = (share, text) => ({ text, share: (100 * Math.min(Math.max(share, 0), 1)).toFixed(1) });

// Fills a table anew and gives its rows: copies of the one in its template, with other words and shares.
// A line is drawn above the first row that `isChance` says chance would lift as high.
function fill(id, fields, rows, isChance = () => false) {
  const table = document.getElementById(id), model = table.querySelector("template").content.firstElementChild;
  const said = table.caption.dataset.said.replace(/{(\w+)}/g, (_, field) => fields[field]);
  table.caption.querySelector("span").textContent = said;
  table.closest(".box").setAttribute("aria-label", said);
  const made = rows.map((cells, place) => {
    const row = model.cloneNode(true);
    row.classList.toggle("chance", isChance(place));
    if (!row.className) row.removeAttribute("class");
    cells.forEach((cell, i) => fillCell(row.cells[i], cell));
    return row;
  });
  table.tBodies[0].replaceChildren(...made);
  for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
  return made;
}

// A cell is a text, a text with a share, or a list of words with shares.
function fillCell(cell, value) {
  if (Array.isArray(value)) {
    const words = value.map(({ text, share, chance }) => {
      const word = cell.firstElementChild.cloneNode(true);
      word.firstElementChild.textContent = text;
      word.style.setProperty("--share", share + "%");
      word.classList.toggle("chance", chance);
      return word;
    });
    return cell.replaceChildren(...words.flatMap((word, i) => (i ? [" ", word] : [word])));
  }
  let place = cell;
  while (place.firstElementChild) place = place.firstElementChild;
  place.textContent = value.text ?? value;
  if (value.share !== undefined) cell.style.setProperty("--share", value.share + "%");
}

// The words of a cell become a button.
function pressable(cell, action) {
  const button = element("button", { type: "button", class: "term" }, ...cell.childNodes);
  button.addEventListener("click", action);
  cell.append(button);
  return button;
}

function number(text) {
  const found = parseFloat(text.replace(/[,%]/g, ""));
  return Number.isNaN(found) ? -Infinity : found;
}

function sort(table, column, head) {
  const numeric = ["number", "bar", "heat"].includes(head.className);
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
