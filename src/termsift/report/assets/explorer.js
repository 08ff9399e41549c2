// State of the page, and the words, map and tables that depend on it.

const pageData = JSON.parse(document.getElementById("page-data").textContent);
const { data } = pageData;
const byId = (id) => document.getElementById(id);
const withCommas = (number) => number.toLocaleString("en-US");
const state = { c: data.openingClass, m: 0, k: data.openingK, direction: "positive", term: null, use: null, focus: null };
const views = {};

const currentClass = () => data.classes[state.c];
const metric = () => data.metrics[state.m];
const k = () => data.ks[state.k];
const best = () => currentClass().best[state.m].slice(0, k());
const termName = (i, classData = currentClass()) => data.terms[classData.terms[i]];
const scoreOf = (i, m = state.m) => currentClass().scores[m][i];
const rates = (tp, fp) => [currentClass().pos ? tp / currentClass().pos : 0, currentClass().neg ? fp / currentClass().neg : 0];
const ratesOf = (i) => rates(currentClass().tp[i], currentClass().fp[i]);
const directionAt = ([tpr, fpr]) => (tpr > fpr ? "positive" : tpr < fpr ? "negative" : "neither");
const directionOf = (i) => directionAt(ratesOf(i));
const directionText = (direction) => (direction === "neither" ? "neutral" : direction);
const effectWidth = (classData, i) =>
  (100 * Math.min(Math.abs(classData.effect[i]) / data.fullEffect, 1)).toFixed(1);
const effectText = (i) => `${formatScore(currentClass().effect[i])} (${intervalText(i)})`;
const intervalText = (i) => `${formatScore(currentClass().low[i])} to ${formatScore(currentClass().high[i])}`;

// Returns whether a term is known not to be significant.
const isInsignificant = (i, classData = currentClass()) => classData.significant !== null && !classData.significant[i];

function countEntries(tp, fp) {
  const { pos, neg } = currentClass(), [tpr, fpr] = rates(tp, fp);
  return [
    ["in the class", `${formatCount(tp)} of ${formatCount(pos)}, ${formatPercent(tpr)}`],
    ["outside", `${formatCount(fp)} of ${formatCount(neg)}, ${formatPercent(fpr)}`],
  ];
}

const LIST_LENGTH = 10;
const listOf = (direction, classData = currentClass()) => classData[direction][state.m].slice(0, LIST_LENGTH);
const shownDirections = () => (state.direction === "both" ? ["positive", "negative"] : [state.direction]);

// The best terms of the chosen direction that are drawn, with their ranks.
function ranked() {
  const terms = shownDirections().flatMap((direction) => currentClass()[direction][state.m]);
  const size = (i) => (i < 0 ? 0 : Math.abs(scoreOf(i)));
  if (state.direction === "both") terms.sort((a, b) => size(b) - size(a));
  return terms.slice(0, k()).map((i, index) => [i, index + 1]).filter(([i]) => i >= 0);
}

const sharesOf = (i, { tp, fp, pos, neg } = currentClass()) => [formatShare(tp[i], pos), formatShare(fp[i], neg)];

// A term in the table is a button that marks it on the map.
function showChosen() {
  const terms = ranked(), { name, effect } = currentClass();
  const fields = { k: withCommas(k()), direction: state.direction === "both" ? "" : `${state.direction} `, name, metric: metric().name };
  const cells = terms.map(([i, rank]) =>
    [String(rank), termName(i), directionOf(i), ...sharesOf(i), formatScore(scoreOf(i)), formatScore(effect[i])]);
  const rows = fillTable("chosen", fields, cells);
  rows.forEach((row, index) => makeButton(row.cells[1], () => choose({ term: termName(terms[index][0]) })));
}

// Terms with the same counts share a point.
function pointRows() {
  const chosen = new Set(best()), points = new Map();
  currentClass().terms.forEach((_, i) => {
    const [y, x] = ratesOf(i), key = `${x} ${y}`;
    if (!points.has(key)) points.set(key, { x, y, members: [], chosen: false });
    points.get(key).members.push(i);
    points.get(key).chosen ||= chosen.has(i);
  });
  // selected terms are drawn on top
  return [...points.values()].map(pointRow).sort((a, b) => a.chosen - b.chosen);
}

const MAX_TIP_WORDS = 60;

function pointRow({ x, y, members, chosen }) {
  const first = members[0], direction = directionText(directionOf(first));
  const kind = chosen && direction !== "neutral" ? `${direction} chosen` : direction;
  const size = 22 + 16 * Math.log2(members.length) + (chosen ? 14 : 0);
  const more = members.length > MAX_TIP_WORDS ? ` and ${members.length - MAX_TIP_WORDS} more` : "";
  const words = members.slice(0, MAX_TIP_WORDS).map((i) => termName(i)).join(", ") + more;
  const counts = countEntries(currentClass().tp[first], currentClass().fp[first]);
  const figures = [[metric().name, formatScore(scoreOf(first))], ["effect", effectText(first)]];
  const tooltip = [words, ["direction", direction], ...counts, ...figures];
  return { x, y, first, kind, size, chosen, tooltip };
}

// Labels go to the ten listed terms of both directions first, then to the selected, then to the others.
function mapLabels(view) {
  const chosen = new Set(best()), { positive, negative } = currentClass();
  const ranks = [positive, negative].flatMap((lists) => lists[state.m].map((i, rank) => [i, rank]));
  const order = ([i, rank]) => [rank >= LIST_LENGTH, !chosen.has(i), -Math.abs(scoreOf(i))];
  const points = ranks.filter(([i]) => i >= 0).map((entry) => ({ i: entry[0], keys: order(entry) }));
  points.sort((a, b) => a.keys.map((key, n) => key - b.keys[n]).find((difference) => difference) ?? 0);
  const labels = points.map(({ i }) => ({ x: ratesOf(i)[1], y: ratesOf(i)[0], text: termName(i), soft: !chosen.has(i) }));
  return placeLabels(labels.filter((label) => label.text.length <= 24), view);
}

const significanceText = ({ alpha }) =>
  alpha === null ? "" : ` Terms with p up to ${formatNumber(alpha, 2)} are significant, and labelled where there is space.`;

function showMap() {
  showChosen();
  const chosen = best().length, visible = best().filter((i) => i >= 0).length;
  const drawn = visible < chosen ? `, ${visible} of them drawn` : "";
  const note = metric().drawn ? "" : ` No boundary: ${metric().name} depends on more than these two counts.`;
  byId("map-caption").textContent =
    `${withCommas(chosen)} of ${withCommas(data.vocabulary)} terms selected: the best by ${metric().name}, ` +
    `positive or negative${drawn}.${note}${significanceText(currentClass())}`;
  byId("map").closest("figure").dataset.title = `Terms of ${currentClass().name} by ${metric().name}`;
  if (!views.map) return null;
  const { pos, neg, tp, fp } = currentClass();
  setLogScale(views.map, "x", neg, neg ? Math.max(...fp) / neg || 1 : 1);
  setLogScale(views.map, "y", pos, pos ? Math.max(...tp) / pos || 1 : 1);
  // labels need the new scales
  return views.map.runAsync().then(() => updateData(views.map, mapSets()));
}

function mapSets() {
  const { pos, neg } = currentClass(), lines = metric().drawn ? currentClass().lines[state.m][state.k] : [];
  const term = state.term === null ? null : lookUp(state.term);
  const [y, x] = term ? rates(term.tp, term.fp) : [];
  const sets = { points: pointRows(), lines: lineRows(lines, pos, neg) };
  return { ...sets, searched: term ? [{ x, y }] : [], labels: mapLabels(views.map) };
}

const snippetsOf = (i, inside) => data.snippets[`${state.c} ${currentClass().terms[i]} ${inside ? 1 : 0}`] ?? [];

// A listed term is a button that shows only its words in context.
function showList(direction) {
  const { name, rates, effect, p, q } = currentClass(), inside = direction === "positive";
  const indices = listOf(direction).filter((i) => i >= 0);
  const bar = (i) => ({ text: formatScore(effect[i]), share: effectWidth(currentClass(), i) });
  const tests = (i) => [p, q].map((values) => (values.length ? formatP(values[i]) : ""));
  const perMillion = (i) => rates.map((row) => formatScore(row[i])).join(" / ");
  const figures = (i) => [bar(i), intervalText(i), ...sharesOf(i), perMillion(i), formatScore(scoreOf(i)), ...tests(i)];
  const cells = indices.map((i) => [termName(i), ...figures(i)]);
  const rows = fillTable(`${direction}-terms`, { name }, cells);
  rows.forEach((row, index) => addContextButton(row, indices[index], inside));
}

function addContextButton(row, i, inside) {
  if (!snippetsOf(i, inside).length) return;
  const pressed = state.use !== null && state.use[0] === i && state.use[1] === inside;
  const table = inside ? "positive-terms" : "negative-terms", index = row.rowIndex;
  const button = makeButton(row.cells[0], () => {
    state.use = pressed ? null : [i, inside];
    showBest();
    byId(table).rows[index].querySelector("button").focus();
  });
  button.setAttribute("aria-pressed", String(pressed));
}

function showContext() {
  const all = shownDirections().flatMap((direction) => listOf(direction).map((i) => [i, direction === "positive"]));
  const snippets = (state.use ? [state.use] : all).flatMap(([i, inside]) => snippetsOf(i, inside));
  fillTable("context", { of: state.use ? `: ${termName(state.use[0])}` : "" }, snippets);
}

function showBest() {
  showList("positive");
  showList("negative");
  if (byId("context")) showContext();
}

const wordCells = (classData, direction) =>
  listOf(direction, classData).filter((i) => i >= 0).map((i) => {
    const [inside, outside] = sharesOf(i, classData);
    return { text: termName(i, classData), share: effectWidth(classData, i), title: `in class ${inside}, outside ${outside}` };
  });

// The name of a class is a button that opens its map, and each word one that shows its counts.
function showEvery() {
  const rows = data.classes.map((classData) => [
    classData.name,
    formatCount(classData.pos),
    wordCells(classData, "positive"),
    wordCells(classData, "negative"),
  ]);
  fillTable("every", { metric: metric().name }, rows).forEach((row, c) => {
    makeButton(row.cells[0], () => {
      choose({ c });
      byId("terms").scrollIntoView();
    });
    for (const word of row.querySelectorAll(".word")) {
      makeButton(word, () => choose({ c, term: word.textContent }));
    }
  });
  const omitted = data.classes.reduce((sum, classData) => sum + classData.omitted[state.m], 0);
  byId("omitted").textContent = omitted ? `; ${withCommas(omitted)} other words with higher scores are left out` : "";
}

function markClass() {
  [...byId("every").tBodies[0].rows].forEach((row, c) => {
    row.cells[0].firstElementChild.setAttribute("aria-pressed", String(c === state.c));
  });
}

function showOverlap() {
  const cells = (row) => row.map((value) => percentCell(value, formatPercent(value)));
  const rows = data.overlap[state.k].map((row, m) => [data.metrics[m].name, ...cells(row)]);
  fillTable("overlap", { k: withCommas(k()) }, rows);
}
