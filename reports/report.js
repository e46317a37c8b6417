"use strict";
// What a page can do besides being read: filter, search, sort, copy, keys. Without this script nothing is hidden.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const shown = element => !element.closest("[hidden]");

  // An item is a row or a card; its facets are in data attributes, several values apart by a bar.
  const bar = document.querySelector(".filter");
  const onlyFailing = bar?.querySelector("[data-only-failing]");
  const items = all("[data-item]");
  const texts = new Map();
  const textOf = item => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  function passes(item, words, facets, failing) {
    if (failing && !("failing" in item.dataset)) return false;
    // What has no such facet is left: a requirement is of no event type.
    const chosen = ([name, value]) => !(name in item.dataset) || item.dataset[name].split("|").includes(value);
    return facets.every(chosen) && words.every(word => textOf(item).includes(word));
  }

  function apply() {
    const words = bar.querySelector("[type=search]").value.toLowerCase().split(/\s+/).filter(Boolean);
    const facets = all("select", bar).filter(each => each.value).map(each => [each.dataset.facet, each.value]);
    const failing = onlyFailing?.checked ?? false;
    for (const item of items) item.hidden = !passes(item, words, facets, failing);
    const active = words.length > 0 || facets.length > 0 || failing;
    for (const part of all("[data-part]")) {
      const inside = all("[data-item]", part);
      part.hidden = active && inside.length > 0 && inside.every(item => item.hidden);
      if (active && part.tagName === "DETAILS" && !part.hidden) part.open = true;
    }
    const counts = all("[data-counted]").map(list => {
      const inside = all("[data-item]", list);
      return `${inside.filter(item => !item.hidden).length} of ${inside.length} ${list.dataset.counted}`;
    });
    bar.querySelector("output").textContent = active ? counts.join(", ") : "";
    bar.querySelector("[data-clear]").hidden = !active;
  }

  function clear() {
    for (const each of all("select, [type=search]", bar)) each.value = "";
    if (onlyFailing) onlyFailing.checked = false;
    apply();
  }

  // A link may lead into what is closed, or hidden by the filter.
  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (bar && !shown(target)) clear();
    for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    target.scrollIntoView();
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const rows = body ? [...body.rows].filter(row => !row.classList.contains("total")) : [];
    const heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
    if (rows.length < 2 || rows.some(row => row.cells.length !== heads.length)) return;
    const value = (row, at) => row.cells[at].dataset.sort ?? row.cells[at].textContent.trim();
    heads.forEach((head, at) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        const number = text => parseFloat(text.replace(/,/g, ""));
        const numeric = rows.every(row => !value(row, at) || !isNaN(number(value(row, at))));
        const compare = (one, other) => numeric
          ? (number(value(one, at)) || 0) - (number(value(other, at)) || 0)
          : value(one, at).localeCompare(value(other, at));
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...[...rows].sort((one, other) => (down ? -1 : 1) * compare(one, other)));
      });
    });
  }

  function select(node) {
    getSelection().selectAllChildren(node);
    return document.execCommand("copy");
  }

  async function copy(source, button) {
    let done = false;
    try {
      await navigator.clipboard.writeText(source.textContent);
      done = true;
    } catch {
      done = select(source);
    }
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  function copyable(block) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(block.querySelector("code") || block, button));
    block.before(button);
  }

  function step(by) {
    const cards = all(".card").filter(shown);
    if (!cards.length) return;
    const at = cards.indexOf(document.querySelector(".card.current"));
    const next = Math.min(Math.max((at < 0 && by < 0 ? 0 : at) + by, 0), cards.length - 1);
    for (const card of all(".card.current")) card.classList.remove("current");
    cards[next].classList.add("current");
    history.replaceState(null, "", `#${cards[next].id}`);
    reveal();
  }

  const keys = {
    "/": () => bar && bar.querySelector("[type=search]").focus(),
    j: () => step(1),
    k: () => step(-1),
    f: () => onlyFailing?.click(),
    c: () => document.querySelector(".card.current .copy")?.click(),
    "?": () => { const help = bar && bar.querySelector("details"); if (help) help.open = !help.open; },
  };

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && bar) { clear(); document.activeElement.blur(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  if (bar) {
    bar.hidden = false;
    bar.addEventListener("input", apply);
    bar.querySelector("[data-clear]").addEventListener("click", clear);
  }
  all("table:not(.beside, .dump, .settings)").forEach(sortable);
  all("pre.replay, pre.detail").forEach(copyable);
  addEventListener("hashchange", reveal);
  // Paper has no closed parts.
  addEventListener("beforeprint", () => all("details.more, .worklog > details").forEach(each => { each.open = true; }));
  reveal();
  document.documentElement.dataset.ready = "";
})();
