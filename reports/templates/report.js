"use strict";
// The table of cases: filters, search and order over embedded rows, of which only those in view become HTML.
(() => {
  const COLUMNS = ["case", "verdict", "suite", "operation", "types", "rule", "reason", "fingerprint", "duration", "count", "again", "change", "details"];
  const NUMBERED = ["verdict", "suite", "operation", "rule", "reason", "fingerprint", "again", "change"];
  const BATCH = 150;
  const byId = (id) => document.getElementById(id);
  const table = byId("rows");

  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (copy) copyText(copy);
    const here = event.target.closest("a.here");
    if (here && navigator.clipboard) navigator.clipboard.writeText(here.href).catch(() => {});
  });

  // Clipboards are closed to pages from files in some browsers: then the text is selected for the reader to copy.
  function copyText(button) {
    const select = () => getSelection().selectAllChildren(button.previousElementSibling);
    if (!navigator.clipboard) return select();
    navigator.clipboard.writeText(button.dataset.copy).then(() => {
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    }, select);
  }

  // Places have addresses: a fold that is the place, or holds it, opens.
  function unfold() {
    const place = byId(location.hash.slice(1).split("?")[0]);
    for (let one = place; one; one = one.parentElement) {
      if (one.tagName === "DETAILS") one.open = true;
    }
    if (place) place.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  unfold();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));

  // The switch above the matrix has an address, too: #matrix?only=open.
  const onlyOpen = byId("only-open");
  function showOpen() {
    for (const row of document.querySelectorAll(".matrix tbody tr")) {
      row.hidden = onlyOpen.checked && !["fault", "gap"].includes(row.dataset.state);
    }
  }
  if (onlyOpen) {
    onlyOpen.addEventListener("change", () => {
      showOpen();
      history.replaceState(null, "", onlyOpen.checked ? "#matrix?only=open" : "#matrix");
    });
    onlyOpen.checked = location.hash === "#matrix?only=open";
    showOpen();
  }

  const pairs = byId("pairs");
  if (pairs) pairs.addEventListener("mousemove", (event) => {
    const { cell, names, counts } = pairs.dataset;
    pairs.parsed ??= { names: JSON.parse(names), counts: JSON.parse(counts) };
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(pairs.getScreenCTM().inverse());
    const [across, down] = [place.x, place.y].map((part) => Math.floor(part / cell));
    const [reader, maker] = [pairs.parsed.names[across], pairs.parsed.names[down]];
    const count = pairs.parsed.counts[down]?.[across] ?? 0;
    byId("pair").textContent = reader && maker ? `${maker} → ${reader}: ${count.toLocaleString("en")}` : "";
  });

  // Filters of rows that are in the page from the start: #failures?state=open&operation=ADD.
  const columns = [...document.querySelectorAll("select[data-row]")];
  if (columns.length) filterRows([...document.querySelectorAll(".lives tbody tr")]);

  function filterRows(rows) {
    const words = (row, column) => row.dataset[column].split(" ").filter(Boolean);
    const show = () => {
      for (const row of rows) row.hidden = columns.some((input) => input.value && !words(row, input.dataset.row).includes(input.value));
      byId("found").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} failures`;
    };
    const read = () => {
      const [place, query] = location.hash.split("?");
      const asked = new URLSearchParams(place === "#failures" ? query : "");
      for (const one of columns) one.value = asked.get(one.dataset.row) ?? "";
      show();
    };
    for (const one of columns) {
      fill(one, rows.flatMap((row) => words(row, one.dataset.row)));
      one.addEventListener("change", () => {
        const asked = columns.filter((each) => each.value).map((each) => [each.dataset.row, each.value]);
        const query = new URLSearchParams(asked).toString();
        history.replaceState(null, "", query ? `#failures?${query}` : "#failures");
        show();
      });
    }
    addEventListener("hashchange", read);
    read();
  }

  function fill(select, found) {
    const values = [...new Set(found)].filter(Boolean).sort();
    select.append(...values.map((value) => new Option(value === "NOT_RUN" ? "NOT RUN" : value, value)));
    select.closest("label").hidden = values.length < 2;
  }

  if (!table) return;

  const data = JSON.parse(byId("data").textContent);
  const cases = data.cases.map((row) => {
    const item = Object.fromEntries(COLUMNS.map((name, index) => [name, row[index]]));
    for (const name of NUMBERED) item[name] = data.texts[item[name]];
    item.type = item.types.map((index) => data.texts[index]);
    item.words = `${item.case} ${item.rule} ${item.reason} ${item.fingerprint}`.toLowerCase();
    return item;
  });
  const search = byId("search"), order = byId("order");
  const selects = [...document.querySelectorAll("select[data-column]")];
  const ORDERS = {
    slow: (a, b) => b.duration - a.duration,
    name: (a, b) => (a.case < b.case ? -1 : 1),
  };
  let filters = {};
  let found = cases;
  let shown = 0;

  function matches(item, words) {
    return words.every((word) => item.words.includes(word)) && Object.entries(filters).every(
      ([name, value]) => (name === "type" ? item.type.includes(value) : item[name] === value));
  }

  // A row may stand for several passed cases.
  function total(rows) {
    return rows.reduce((sum, item) => sum + item.count, 0);
  }

  // A group of failures that is not laid out has its cases in the table.
  function address() {
    const [, fingerprint] = location.hash.match(/^#group-([0-9a-f]+)$/) || [];
    return fingerprint && !byId(location.hash.slice(1)) ? `#cases?fingerprint=${fingerprint}` : location.hash;
  }

  // Filters, search and order have an address: #cases?operation=ADD&search=relu&order=slow, or of a case #cases?case=ID.
  function readAddress() {
    const [place, query] = address().split("?");
    if (place !== "#cases" || !query) return false;
    const asked = new URLSearchParams(query);
    search.value = asked.get("search") ?? "";
    order.value = asked.get("order") ?? "";
    filters = Object.fromEntries([...asked].filter(([name]) => COLUMNS.includes(name) || name === "type"));
    update();
    byId("cases").scrollIntoView();
    if (filters.case && found.length === 1) table.querySelector("button").click();
    return true;
  }

  function writeAddress() {
    const asked = Object.entries({ ...filters, search: search.value, order: order.value });
    const query = new URLSearchParams(asked.filter(([name, value]) => value || name in filters)).toString();
    if (query || location.hash.startsWith("#cases?")) {
      history.replaceState(null, "", query ? `#cases?${query}` : "#cases");
    }
  }

  function update() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = cases.filter((item) => matches(item, words));
    if (order.value) found.sort(ORDERS[order.value]);
    for (const one of selects) one.value = filters[one.dataset.column] ?? "";
    byId("found").textContent = `${total(found).toLocaleString("en")} of ${total(cases).toLocaleString("en")} cases`;
    drawChips();
    writeAddress();
    table.replaceChildren();
    shown = 0;
    drawMore();
  }

  function drawChips() {
    byId("chips").replaceChildren(...Object.entries(filters).map(([name, value]) => {
      const text = `${name}: ${value || "none"}`;
      const chip = make("button", `${text} ✕`, "chip");
      chip.title = `Remove the filter ${text}`;
      chip.addEventListener("click", () => { delete filters[name]; update(); });
      return chip;
    }));
  }

  function drawMore() {
    table.append(...found.slice(shown, shown + BATCH).map(drawRow));
    shown = Math.min(shown + BATCH, found.length);
    const rest = total(found.slice(shown));
    const folded = filters.case && !found.length ? "This case has no row of its own: it is alike to others, or not in this run" : "";
    byId("more").textContent = rest ? `${rest.toLocaleString("en")} more appear as you scroll` : folded;
  }

  function make(tag, text, style) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (style) element.className = style;
    if (tag === "button") element.type = "button";
    return element;
  }

  function drawRow(item) {
    const row = make("tr");
    const open = make("button", item.case, "plain");
    open.setAttribute("aria-expanded", "false");
    open.addEventListener("click", () => toggle(row, open, item));
    const link = make("span");
    link.append(open, ...(item.again ? [" ", make("b", item.again, "mark")] : []));
    const name = item.verdict.replace("_", " ");
    const style = item.verdict.toLowerCase().replace("_", "-");
    const operation = make("span", item.operation);
    if (item.type.length) operation.append(make("small", item.type.join(", "), "muted"));
    const verdict = make("span");
    verdict.append(make("span", `${data.signs[item.verdict]} ${name}`, `badge ${style}`));
    if (item.change) verdict.append(make("small", item.change, "muted"));
    const cells = [verdict, link, operation, item.rule || item.reason, milliseconds(item.duration)];
    row.append(...cells.map((content, index) => {
      const cell = make("td", undefined, index === 4 ? "num" : "");
      cell.append(content);
      return cell;
    }));
    return row;
  }

  function toggle(row, button, item) {
    const next = row.nextElementSibling;
    const isOpen = next && next.classList.contains("detail");
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) return next.remove();
    const parts = { suite: item.suite, rule: item.rule, reason: item.reason, fingerprint: item.fingerprint, ...item.details };
    const list = make("dl", undefined, "inline");
    for (const [name, value] of Object.entries(parts)) {
      if (!value) continue;
      const pair = make("div");
      pair.append(make("dt", name), make("dd", value));
      list.append(pair);
    }
    const here = make("a", "#", "here");
    here.href = `#cases?${new URLSearchParams({ case: item.case })}`;
    here.title = "Copy the address of this case";
    here.setAttribute("aria-label", "Address of this case");
    const cell = make("td");
    cell.colSpan = 5;
    cell.append(list, here);
    const detail = make("tr", undefined, "detail");
    detail.append(cell);
    row.after(detail);
  }

  function milliseconds(seconds) {
    const value = seconds * 1000;
    return `${value.toLocaleString("en", { maximumSignificantDigits: value < 1000 ? 3 : 6 })} ms`;
  }

  search.addEventListener("input", update);
  order.addEventListener("change", update);
  for (const one of selects) {
    const column = one.dataset.column;
    fill(one, cases.map((item) => item[column]));
    one.addEventListener("change", () => {
      if (one.value) filters[column] = one.value;
      else delete filters[column];
      update();
    });
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-filter]");
    if (!button) return;
    filters = JSON.parse(button.dataset.filter);
    search.value = "";
    update();
    byId("cases").scrollIntoView({ behavior: "smooth" });
  });
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && shown < found.length) drawMore();
  }, { rootMargin: "600px" }).observe(byId("more"));
  addEventListener("hashchange", readAddress);
  if (!readAddress()) update();
})();
