// What is chosen, and the words, the map and the tables that follow from it.

const held = JSON.parse(document.getElementById("held").textContent);
const { data } = held;
const at = (id) => document.getElementById(id);
const grouped = (number) => number.toLocaleString("en-US");
const state = { c: data.first, m: 0, k: data.opening, side: "for", term: null, use: null, focus: null };
const views = {};

const own = () => data.classes[state.c];
const metric = () => data.metrics[state.m];
const k = () => data.ks[state.k];
const best = () => own().best[state.m].slice(0, k());
const termOf = (i, one = own()) => data.terms[one.terms[i]];
const scoreOf = (i, m = state.m) => own().scores[m][i];
const rates = (tp, fp) => [own().pos ? tp / own().pos : 0, own().neg ? fp / own().neg : 0];
const ratesOf = (i) => rates(own().tp[i], own().fp[i]);
const sideAt = ([tpr, fpr]) => (tpr > fpr ? "for" : tpr < fpr ? "against" : "neither");
const sideOf = (i) => sideAt(ratesOf(i));
const spoken = (side) => (side === "neither" ? "neither way" : `${side} the class`);
const effectShare = (one, i) => (100 * Math.min(Math.abs(one.effect[i]) / data.full, 1)).toFixed(1);
const effectText = (i) => `${score(own().effect[i])} (${intervalText(i)})`;
const intervalText = (i) => `${score(own().low[i])} to ${score(own().high[i])}`;

// Whether chance would lift a term as high: it does not reach the floor of its side.
function isChance(i, one = own()) {
  const [floor, ceiling] = one.floors[state.m], value = one.scores[state.m][i];
  const against = one.tp[i] * one.neg < one.fp[i] * one.pos;
  if (against && metric().sided === 1) return ceiling !== null && value > ceiling;
  return floor !== null && value < floor;
}

function countLines(tp, fp) {
  const { pos, neg } = own(), [tpr, fpr] = rates(tp, fp);
  return [
    ["in the class", `${amount(tp)} of ${amount(pos)}, ${share(tpr)}`],
    ["outside", `${amount(fp)} of ${amount(neg)}, ${share(fpr)}`],
  ];
}

// The chosen terms that are drawn, each with its rank.
const ranked = () => best().map((i, place) => [i, place + 1]).filter(([i]) => i >= 0);

function chosenCells(i, rank) {
  const [tpr, fpr] = ratesOf(i), { tp, fp, effect } = own();
  const counts = [amount(tp[i]), amount(fp[i]), share(tpr), share(fpr)];
  return [String(rank), termOf(i), sideOf(i), ...counts, score(scoreOf(i)), score(effect[i])];
}

// A term in the table of the map is a button that shows it there.
function showChosen() {
  const shown = ranked(), fields = { k: grouped(k()), name: own().name, metric: metric().name };
  const cells = shown.map(([i, rank]) => chosenCells(i, rank));
  const rows = fill("chosen", fields, cells, (place) => isChance(shown[place][0]));
  rows.forEach((row, place) => pressable(row.cells[1], () => choose({ term: termOf(shown[place][0]) })));
}

// Terms with the same counts are one point.
function pointRows() {
  const chosen = new Set(best()), points = new Map();
  own().terms.forEach((_, i) => {
    const [y, x] = ratesOf(i), key = `${x} ${y}`;
    if (!points.has(key)) points.set(key, { x, y, members: [], chosen: false });
    points.get(key).members.push(i);
    points.get(key).chosen ||= chosen.has(i);
  });
  // what is chosen lies on top
  return [...points.values()].map(pointRow).sort((a, b) => a.chosen - b.chosen);
}

function pointRow({ x, y, members, chosen }) {
  const first = members[0], side = sideOf(first) === "neither" ? "other" : sideOf(first);
  const kind = chosen && side !== "other" ? `${side} chosen` : side;
  const size = 22 + 16 * Math.log2(members.length) + (chosen ? 14 : 0);
  const more = members.length > 6 ? ` and ${members.length - 6} more` : "";
  const words = members.slice(0, 6).map((i) => termOf(i)).join(", ") + more;
  const counts = countLines(own().tp[first], own().fp[first]);
  const figures = [[metric().name, score(scoreOf(first))], ["effect", effectText(first)]];
  const lines = [["speaks", spoken(sideOf(first))], ...counts, ...figures];
  return { x, y, first, kind, size, chosen, said: [words, ...lines] };
}

function mapLabels(view) {
  const chosen = best().filter((i) => i >= 0), among = new Set(chosen);
  const sides = [...own().speaking[state.m], ...own().against[state.m]].filter((i) => among.has(i));
  const wanted = [...new Set([...sides, ...chosen.slice(0, 20)])];
  const places = wanted.map((i) => ({ x: ratesOf(i)[1], y: ratesOf(i)[0], text: termOf(i) }));
  const short = places.filter((place) => place.text.length <= 24);
  return labelled(short, view.width(), view.height(), view.width() < 420 ? 8 : 18);
}

const floorText = (floor) =>
  floor === Number.MAX_VALUE
    ? " There are too few documents for any score to be more than chance."
    : ` Chance begins at a score of ${score(floor)}.`;

function showMap() {
  showChosen();
  const rows = ranked().length, chosen = best().length;
  const drawn = rows < chosen ? `, of which ${rows} are drawn` : "";
  const line = metric().drawn ? "" : ` ${metric().name} reads more than these two counts, so it has no line.`;
  const floor = own().floors[state.m][0];
  at("floor-line").hidden = floor === null;
  const chance = floor === null ? "" : floorText(floor);
  at("map-said").textContent =
    `${grouped(chosen)} of ${grouped(data.vocabulary)} terms are chosen${drawn}.${line}${chance}`;
  return views.map ? give(views.map, mapSets()) : null;
}

function mapSets() {
  const lines = metric().drawn ? own().lines[state.m][state.k] : [];
  const term = state.term === null ? null : sought(state.term);
  const [y, x] = term ? rates(term.tp, term.fp) : [];
  const sets = { points: pointRows(), lines: lineRows(lines), floors: lineRows(own().floorLines[state.m]) };
  return { ...sets, found: term ? [{ x, y }] : [], labels: mapLabels(views.map) };
}

const usesOf = (i, inside) => data.uses[`${state.c} ${own().terms[i]} ${inside ? 1 : 0}`] ?? [];

// A term among the best is a button that shows its words in context alone.
function showSide(side) {
  const { speaking, against, tp, fp, name, effect } = own(), inside = side === "for";
  const places = (inside ? speaking : against)[state.m];
  const bar = (i) => ({ text: score(effect[i]), share: effectShare(own(), i) });
  const figures = (i) => [bar(i), intervalText(i), score(scoreOf(i)), amount(tp[i]), amount(fp[i])];
  const cells = places.map((i) => [termOf(i), ...figures(i)]);
  const rows = fill(`${side}-terms`, { name }, cells, (place) => isChance(places[place]));
  rows.forEach((row, place) => offerUses(row, places[place], inside));
}

function offerUses(row, i, inside) {
  if (!usesOf(i, inside).length) return;
  const pressed = state.use !== null && state.use[0] === i && state.use[1] === inside;
  const table = inside ? "for-terms" : "against-terms", place = row.rowIndex;
  const button = pressable(row.cells[0], () => {
    state.use = pressed ? null : [i, inside];
    showBest();
    at(table).rows[place].querySelector("button").focus();
  });
  button.setAttribute("aria-pressed", String(pressed));
}

function showContext() {
  const { speaking, against } = own();
  const sides = { for: [[speaking, true]], against: [[against, false]], both: [[speaking, true], [against, false]] };
  const all = sides[state.side].flatMap(([places, inside]) => places[state.m].map((i) => [i, inside]));
  const uses = (state.use ? [state.use] : all).flatMap(([i, inside]) => usesOf(i, inside));
  fill("context", { of: state.use ? `: ${termOf(state.use[0])}` : "" }, uses);
}

function showBest() {
  showSide("for");
  showSide("against");
  if (at("context")) showContext();
}

const wordCells = (one, places) =>
  places.map((i) => ({ text: termOf(i, one), share: effectShare(one, i), chance: isChance(i, one) }));

// The name of a class is a button that leads to its map, and each word one that says its counts.
function showEvery() {
  const rows = data.classes.map((one) => [
    one.name, amount(one.pos), wordCells(one, one.speaking[state.m]), wordCells(one, one.against[state.m]),
  ]);
  fill("every", { metric: metric().name }, rows).forEach((row, c) => {
    pressable(row.cells[0], () => {
      choose({ c });
      at("terms").scrollIntoView();
    });
    for (const word of row.querySelectorAll(".word")) {
      pressable(word, () => choose({ c, term: word.textContent }));
    }
  });
  const known = data.classes.some((one) => one.floors[state.m].some((floor) => floor !== null));
  at("floor-key").hidden = !known;
  at("no-floor-key").hidden = known;
}

function markClass() {
  [...at("every").tBodies[0].rows].forEach((row, c) => {
    row.cells[0].firstElementChild.setAttribute("aria-pressed", String(c === state.c));
  });
}

function showOverlap() {
  const cells = (row) => row.map((value) => shaded(value, share(value)));
  const rows = data.overlap[state.k].map((row, m) => [data.metrics[m].name, ...cells(row)]);
  fill("overlap", { k: grouped(k()) }, rows);
}
