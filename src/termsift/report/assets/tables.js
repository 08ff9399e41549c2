// Tables: fill with data, sort by a column, copy. Words are inserted as text, never as markup.

function element(name, properties = {}, ...content) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") node.className = value;
    else if (key.startsWith("--")) node.style.setProperty(key, value);
    else node.setAttribute(key, value);
  }
  node.append(...content);
  return node;
}

const isolatedText = (text) => element("bdi", {}, text);
const percentCell = (share, text) => ({ text, share: (100 * Math.min(Math.max(share, 0), 1)).toFixed(1) });

// Fills a table with copies of the row in its template and returns the rows.
function fillTable(id, fields, rows) {
  const table = document.getElementById(id), template = table.querySelector("template").content.firstElementChild;
  const caption = table.caption.dataset.pattern.replace(/{(\w+)}/g, (_, field) => fields[field]);
  table.caption.querySelector("span").textContent = caption;
  table.closest(".box").setAttribute("aria-label", caption);
  const tableRows = rows.map((cells) => {
    const row = template.cloneNode(true);
    cells.forEach((cell, i) => fillCell(row.cells[i], cell));
    return row;
  });
  table.tBodies[0].replaceChildren(...tableRows);
  for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
  return tableRows;
}

// A cell is a text, a text with a share, or a list of words with shares.
function fillCell(cell, value) {
  if (Array.isArray(value)) {
    const words = value.map(({ text, share, title }) => {
      const word = cell.firstElementChild.cloneNode(true);
      word.firstElementChild.textContent = text;
      word.title = title;
      word.style.setProperty("--share", share + "%");
      return word;
    });
    return cell.replaceChildren(...words.flatMap((word, i) => (i ? [" ", word] : [word])));
  }
  let innermost = cell;
  while (innermost.firstElementChild) innermost = innermost.firstElementChild;
  innermost.textContent = value.text ?? value;
  if (value.share !== undefined) cell.style.setProperty("--share", value.share + "%");
}

// Wraps the content of a cell in a button.
function makeButton(cell, action) {
  const button = element("button", { type: "button", class: "term" }, ...cell.childNodes);
  button.addEventListener("click", action);
  cell.append(button);
  return button;
}

function parseNumber(text) {
  const value = parseFloat(text.replace(/[,%]/g, ""));
  return Number.isNaN(value) ? -Infinity : value;
}

function sortTable(table, column, head) {
  const numeric = ["number", "bar", "signed", "heat"].includes(head.className);
  const before = head.getAttribute("aria-sort");
  const down = before ? before === "ascending" : numeric;
  const rows = [...table.tBodies[0].rows];
  const text = (row) => row.cells[column].textContent;
  const compare = numeric
    ? (a, b) => parseNumber(text(a)) - parseNumber(text(b))
    : (a, b) => text(a).localeCompare(text(b));
  rows.sort((a, b) => (down ? compare(b, a) : compare(a, b)));
  table.tBodies[0].append(...rows);
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element("button", { type: "button", class: "sort" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => sortTable(table, column, head));
  });
}

function tableText(table, separator, format = (text) => text) {
  const rows = [...table.tHead.rows, ...table.tBodies[0].rows];
  const clean = (cell) => format(cell.textContent.replace(/\s+/g, " ").trim());
  return rows.map((row) => [...row.cells].map(clean).join(separator)).join("\n") + "\n";
}

const csvCell = (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // a page in a notebook's frame may not use the clipboard API
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
    const done = await copyText(tableText(table, "\t"));
    button.textContent = done ? "Copied" : "Copying is blocked";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  button.setAttribute("aria-label", "Copy this table");
  const csv = saveButton("CSV", () => save(`${table.id}.csv`, "text/csv", tableText(table, ",", csvCell)));
  table.caption.firstElementChild.append(button, csv);
}

function saveButton(text, action) {
  const button = element("button", { type: "button", class: "copy", "aria-label": `Save as ${text}` }, text);
  button.addEventListener("click", action);
  return button;
}

function save(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
