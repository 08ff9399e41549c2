// Controls and start of the page.

// Applies a change of the state and updates the page. Returns a promise of the map.
function choose(change) {
  Object.assign(state, change);
  if ("m" in change) showEvery();
  if ("c" in change) {
    byId("class").value = String(state.c);
    fillSuggestions();
  }
  if ("c" in change || "m" in change || "direction" in change) {
    state.use = null;
    showBest();
    markClass();
  }
  if ("direction" in change) {
    for (const explorer of document.querySelectorAll(".explorer")) explorer.dataset.direction = state.direction;
  }
  if ("k" in change) showOverlap();
  byId("k-value").textContent = withCommas(k());
  byId("k").setAttribute("aria-valuetext", `${k()} terms`);
  showCard();
  return showMap();
}

// Fills the suggestions of the search field; other terms can be found too.
function fillSuggestions() {
  const sorted = currentClass().terms.map((term) => data.terms[term]).sort();
  byId("known").replaceChildren(...sorted.map((term) => element("option", { value: term })));
}

function methodButton({ name, colour }) {
  const dot = element("span", { class: "dot", "--dot": colour });
  const pressed = String(state.focus === name);
  const button = element("button", { type: "button", "aria-pressed": pressed }, dot, name);
  button.addEventListener("click", () => {
    const index = [...byId("methods").children].indexOf(button.parentElement);
    state.focus = state.focus === name ? null : name;
    updateData(views.performance, performanceSets());
    byId("methods").children[index].firstChild.focus();
  });
  return button;
}

function performanceSets() {
  const classifier = byId("classifier").value;
  const methods = listMethods(data.findings, classifier);
  byId("methods").replaceChildren(...methods.map((method) => element("li", {}, methodButton(method))));
  return curveSets(data.findings, classifier, methods, state.focus, views.performance);
}

const isDark = () => getComputedStyle(document.documentElement).colorScheme === "dark"
  || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);

// The button names the theme that it switches to.
function nameTheme() {
  byId("theme").textContent = isDark() ? "Light mode" : "Dark mode";
}

function addListeners() {
  byId("class").addEventListener("change", (event) => choose({ c: Number(event.target.value) }));
  byId("metric").addEventListener("change", (event) => choose({ m: Number(event.target.value) }));
  byId("k").addEventListener("input", (event) => choose({ k: Number(event.target.value) }));
  byId("search").addEventListener("input", (event) => search(event.target.value));
  for (const radio of byId("controls").elements.direction) {
    radio.addEventListener("change", () => choose({ direction: radio.value }));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.term !== null) choose({ term: null });
  });
  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  nameTheme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  byId("classifier")?.addEventListener("change", () => {
    state.focus = null;
    updateData(views.performance, performanceSets());
  });
}

// Vega reports a new width while it is drawing, so data are updated after that.
async function startMap() {
  views.map = await draw("map", pageData.charts.map, {
    points: pointRows(), lines: [], searched: [], labels: [],
  }, useLogScales);
  views.map.addEventListener("click", (event, item) => {
    if (item?.datum?.first !== undefined) choose({ term: termName(item.datum.first) });
  });
  views.map.addSignalListener("width", () => setTimeout(() => updateData(views.map, { labels: mapLabels(views.map) })));
  await showMap();
}

async function start() {
  document.documentElement.dataset.script = "on";
  tip.hidden = true;
  document.body.append(tip);
  for (const table of document.querySelectorAll("table.data")) {
    makeCopyable(table);
    makeSortable(table);
  }
  for (const node of document.querySelectorAll("main [title]:not(svg *, .word)")) explain(node);
  for (const figure of document.querySelectorAll("figure")) addExport(figure);
  addListeners();
  choose({ c: data.openingClass, m: 0, k: data.openingK, direction: "positive" });
  await startMap();
  if (data.findings) {
    views.performance = await draw("performance-chart", pageData.charts.performance, performanceSets());
    views.performance.addSignalListener("width", () => setTimeout(() => updateData(views.performance, performanceSets())));
    await updateData(views.performance, performanceSets());
  }
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

start();
