// Charts: Vega draws them without eval; tooltips are built here.

const tip = element("div", { class: "tip", role: "tooltip" });

function showTip(handler, event, item, value) {
  tip.hidden = !value;
  if (!value || !item.datum.tooltip) return;
  const [head, ...entries] = item.datum.tooltip;
  const list = element("dl");
  for (const [name, text] of entries) list.append(element("dt", {}, name), element("dd", {}, text));
  tip.replaceChildren(element("strong", {}, isolatedText(head)), list);
  const windowWidth = document.documentElement.clientWidth, right = event.clientX + 16;
  const left = right + tip.offsetWidth > windowWidth ? event.clientX - 16 - tip.offsetWidth : right;
  const top = Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8);
  tip.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
}

async function draw(id, spec, sets) {
  const pageOptions = { actions: false, defaultStyle: false, tooltip: showTip };
  const options = { mode: "vega-lite", renderer: "svg", ast: true, ...pageOptions };
  const fullSpec = { ...spec, datasets: { ...spec.datasets, ...sets } };
  const { view } = await vegaEmbed("#" + id, fullSpec, options);
  return view;
}

function updateData(view, sets) {
  for (const [name, rows] of Object.entries(sets)) view.data(name, rows);
  return view.runAsync();
}

// Places labels next to points without overlaps; a point without space for its label gets none.
function placeLabels(points, width, height, maxLabels) {
  const occupied = points.map(({ x, y }) => boxAt(Math.sqrt(x) * width - 3, (1 - Math.sqrt(y)) * height, 6, 4));
  const labels = [];
  for (const point of points) {
    if (labels.length >= maxLabels) break;
    const left = Math.sqrt(point.x) * width, top = (1 - Math.sqrt(point.y)) * height;
    const wide = 7 * [...point.text].length + 2;
    const offsets = [0, -11, 11].flatMap((dy) => [[8, dy], [-8 - wide, dy]]);
    const free = offsets.find(([dx, dy]) => {
      const box = boxAt(left + dx, top + dy, wide, 12);
      const inside = box[0] >= 0 && box[2] <= width && box[1] >= 0 && box[3] <= height;
      return inside && !occupied.some((box2) => overlap(box, box2));
    });
    if (!free) continue;
    occupied.push(boxAt(left + free[0], top + free[1], wide, 12));
    labels.push({ x: point.x, y: point.y, text: point.text, dx: free[0], dy: free[1] });
  }
  return labels;
}

const boxAt = (left, middle, width, height) => [left, middle - height / 2, left + width, middle + height / 2];
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// Isoclines are stored as thousandths of square roots of rates.
function lineRows(lines) {
  const rows = [];
  lines.forEach((flat, line) => {
    for (let i = 0; i < flat.length; i += 2) {
      rows.push({ line, step: i, x: (flat[i] / 1000) ** 2, y: (flat[i + 1] / 1000) ** 2 });
    }
  });
  return rows;
}

const PALETTE = 8;

// Returns the methods of a classifier, best first; those beyond the palette are grey.
function listMethods(findings, classifier) {
  const best = new Map();
  for (const [method, rowClassifier, , mean] of findings.curve) {
    if (rowClassifier === classifier) best.set(method, Math.max(mean, best.get(method) ?? -Infinity));
  }
  const first = findings.chosen[1] === classifier ? findings.chosen[0] : null;
  const order = [...best].sort((a, b) => (b[0] === first) - (a[0] === first) || b[1] - a[1]);
  return order.map(([name], i) => ({ name, colour: i < PALETTE ? `var(--c${i})` : "var(--faint)" }));
}

function curveSets(findings, classifier, methods, focus, view) {
  const colours = new Map(methods.map(({ name, colour }) => [name, colour]));
  const sets = { curve: [], band: [], level: [], chosen: [] };
  const curve = findings.curve.filter((row) => row[1] === classifier);
  for (const { name } of methods) {
    const methodRows = curve.filter((row) => row[0] === name).sort((a, b) => a[2] - b[2]);
    const visible = !focus || focus === name;
    const colour = visible ? colours.get(name) : "var(--faint)";
    const rows = methodRows.map(([method, , terms, mean, error]) => ({
      method, terms, mean, colour, low: mean - error, high: mean + error, weight: visible ? 2.2 : 1.2,
      tooltip: [
        method, ["terms", formatCount(terms)], [findings.goal, mean.toFixed(4)], ["standard error", error.toFixed(4)],
      ],
    }));
    sets.curve.push(...rows);
    if (rows.length === 1) sets.level.push(rows[0]);
    else if (visible && colours.get(name) !== "var(--faint)") sets.band.push(...rows);
  }
  if (findings.chosen[1] === classifier && view) sets.chosen.push(chosenLabel(findings.chosen, view));
  return sets;
}

// Returns the label of the recommended point, wrapped into as many lines as needed.
function chosenLabel([method, , terms, mean], view) {
  const number = `${formatCount(terms)} ${terms === 1 ? "term" : "terms"}`, room = view.width();
  const layouts = [
    [`recommended: ${method}, ${number}`], ["recommended:", `${method}, ${number}`], ["recommended:", method, number],
  ];
  const widest = (lines) => Math.max(...lines.map(textWidth));
  const text = layouts.find((lines) => widest(lines) <= room) ?? layouts.at(-1), width = Math.min(widest(text), room);
  const x = view.scale("x")(terms), left = Math.max(Math.min(x - width / 2, room - width), 0);
  return { terms, mean, text, limit: room, dx: left - x, dy: -12 - 16 * text.length };
}

const context2d = document.createElement("canvas").getContext("2d");

function textWidth(text) {
  context2d.font = `bold 12.5px ${getComputedStyle(document.body).fontFamily}`;
  return context2d.measureText(text).width;
}
