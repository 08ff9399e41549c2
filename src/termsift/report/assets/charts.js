// Charts: Vega draws them without eval; what the mouse is over is said in words by us.

const tip = element("div", { class: "tip", role: "tooltip" });

function showTip(handler, event, item, value) {
  tip.hidden = !value;
  if (!value || !item.datum.said) return;
  const [head, ...lines] = item.datum.said;
  const list = element("dl");
  for (const [name, text] of lines) list.append(element("dt", {}, name), element("dd", {}, text));
  tip.replaceChildren(element("strong", {}, nameOf(head)), list);
  const room = document.documentElement.clientWidth, right = event.clientX + 16;
  const left = right + tip.offsetWidth > room ? event.clientX - 16 - tip.offsetWidth : right;
  const top = Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8);
  tip.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
}

async function draw(id, spec, sets) {
  const ours = { actions: false, defaultStyle: false, tooltip: showTip };
  const options = { mode: "vega-lite", renderer: "svg", ast: true, ...ours };
  const whole = { ...spec, datasets: { ...spec.datasets, ...sets } };
  const { view } = await vegaEmbed("#" + id, whole, options);
  return view;
}

function give(view, sets) {
  for (const [name, rows] of Object.entries(sets)) view.data(name, rows);
  return view.runAsync();
}

// Names beside points, none over another; a point that has no room for its name goes without.
function labelled(points, width, height, most) {
  const taken = points.map(({ x, y }) => boxAt(Math.sqrt(x) * width - 3, (1 - Math.sqrt(y)) * height, 6, 4));
  const labels = [];
  for (const point of points) {
    if (labels.length >= most) break;
    const left = Math.sqrt(point.x) * width, top = (1 - Math.sqrt(point.y)) * height;
    const wide = 7 * [...point.text].length + 2;
    const places = [0, -11, 11].flatMap((dy) => [[8, dy], [-8 - wide, dy]]);
    const free = places.find(([dx, dy]) => {
      const box = boxAt(left + dx, top + dy, wide, 12);
      const inside = box[0] >= 0 && box[2] <= width && box[1] >= 0 && box[3] <= height;
      return inside && !taken.some((other) => overlap(box, other));
    });
    if (!free) continue;
    taken.push(boxAt(left + free[0], top + free[1], wide, 12));
    labels.push({ x: point.x, y: point.y, text: point.text, dx: free[0], dy: free[1] });
  }
  return labels;
}

const boxAt = (left, middle, width, height) => [left, middle - height / 2, left + width, middle + height / 2];
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// Isoclines come as thousandths of square roots of rates.
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

// The methods of a classifier, the best first; those beyond the palette share the grey of the unfocused.
function methodsOf(found, classifier) {
  const best = new Map();
  for (const [method, own, , mean] of found.curve) {
    if (own === classifier) best.set(method, Math.max(mean, best.get(method) ?? -Infinity));
  }
  const first = found.chosen[1] === classifier ? found.chosen[0] : null;
  const order = [...best].sort((a, b) => (b[0] === first) - (a[0] === first) || b[1] - a[1]);
  return order.map(([name], i) => ({ name, colour: i < PALETTE ? `var(--c${i})` : "var(--faint)" }));
}

function curveSets(found, classifier, methods, focus, view) {
  const colours = new Map(methods.map((one) => [one.name, one.colour]));
  const sets = { curve: [], band: [], level: [], chosen: [] };
  const lines = found.curve.filter((line) => line[1] === classifier);
  for (const { name } of methods) {
    const own = lines.filter((line) => line[0] === name).sort((a, b) => a[2] - b[2]);
    const seen = !focus || focus === name;
    const colour = seen ? colours.get(name) : "var(--faint)";
    const rows = own.map(([method, , terms, mean, error]) => ({
      method, terms, mean, colour, low: mean - error, high: mean + error, weight: seen ? 2.2 : 1.2,
      said: [
        method, ["terms", amount(terms)], [found.goal, mean.toFixed(4)], ["standard error", error.toFixed(4)],
      ],
    }));
    sets.curve.push(...rows);
    if (rows.length === 1) sets.level.push(rows[0]);
    else if (seen && colours.get(name) !== "var(--faint)") sets.band.push(...rows);
  }
  if (found.chosen[1] === classifier && view) sets.chosen.push(chosenLabel(found.chosen, view));
  return sets;
}

// The name of the recommended point, where there is room for it, in as many lines as it needs.
function chosenLabel([method, , terms, mean], view) {
  const number = `${amount(terms)} ${terms === 1 ? "term" : "terms"}`, room = view.width();
  const ways = [
    [`recommended: ${method}, ${number}`], ["recommended:", `${method}, ${number}`], ["recommended:", method, number],
  ];
  const wide = (lines) => Math.max(...lines.map(textWidth));
  const text = ways.find((lines) => wide(lines) <= room) ?? ways.at(-1), width = Math.min(wide(text), room);
  const place = view.scale("x")(terms), left = Math.max(Math.min(place - width / 2, room - width), 0);
  return { terms, mean, text, limit: room, dx: left - place, dy: -12 - 16 * text.length };
}

const pen = document.createElement("canvas").getContext("2d");

function textWidth(text) {
  pen.font = `bold 12.5px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
