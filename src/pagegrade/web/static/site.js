// Makes pages more comfortable; each of them works without. Text is only ever set as text.
"use strict";

const words = document.currentScript.dataset;
// Where the service is: at the root of its host or below a path.
const root = new URL("../../", document.currentScript.src);
const FIRST_MS = 2000;
const LONGEST_MS = 15000;
const MAX_FAILURES = 6;
const UNFINISHED = ["queued", "running"];

// A place where things are said aloud must be there before something is put into it.
const region = document.querySelector("[data-announce]") ?? document.body.appendChild(document.createElement("p"));
region.classList.add("away");
region.setAttribute("role", "status");
const say = (text) => {
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 100);
};

for (const element of document.querySelectorAll("[data-scripted]")) element.hidden = false;

// Buttons that copy: data-copy names the element with the text.

const copy = async (source) => {
  const text = ("value" in source ? source.value : source.textContent).trim();
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS there is no clipboard for scripts, but there is still the old way. What was marked stays marked.
    if ("select" in source) source.select(); else getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
};

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source) continue;
  const label = button.textContent;
  let back = 0;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const report = await copy(source) ? words.copied : words.uncopied;
    button.textContent = report;
    say(report);
    clearTimeout(back);
    back = setTimeout(() => { button.textContent = label; }, 4000);
  });
}

// Links to a finding as text: they copy what they lead to.

const copyText = async (text) => {
  const source = document.body.appendChild(document.createElement("textarea"));
  source.className = "away";
  source.value = text;
  const copied = await copy(source);
  source.remove();
  return copied;
};

const prepareText = (link) => {
  const label = link.dataset.text === "prompt" ? words.asPrompt : words.asMarkdown;
  link.textContent = label;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { redirect: "error" });
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      if (!await copyText(await answer.text())) throw new Error("not copied");
    } catch {
      location.assign(link.href);
      return;
    }
    link.focus();
    link.textContent = words.copied;
    say(words.copied);
    setTimeout(() => { link.textContent = label; }, 4000);
  });
};
for (const link of document.querySelectorAll("a[data-text]")) prepareText(link);

// Findings whose body the page left out: it is taken from the page that shows this one open.

const load = (body) => {
  const request = new XMLHttpRequest();
  request.open("GET", body.dataset.load);
  delete body.dataset.load;
  // A document that arrives this way runs nothing, and needs no text to be parsed by a script.
  request.responseType = "document";
  request.addEventListener("load", () => {
    const found = request.response?.getElementById(body.id);
    if (!found) return;
    body.replaceWith(document.adoptNode(found));
    for (const link of found.querySelectorAll("a[data-text]")) prepareText(link);
  });
  request.send();
};
for (const body of document.querySelectorAll("[data-load]")) {
  body.parentElement.addEventListener("toggle", () => { if (body.dataset.load) load(body); });
}

// The search of findings filters while it is typed; with Enter the server searches, also in what is not on the page.

const find = document.querySelector("#find");
const findingRows = [...document.querySelectorAll("details.row")];
find?.addEventListener("input", () => {
  const wanted = find.value.trim().toLowerCase();
  for (const row of findingRows) row.parentElement.hidden = !row.textContent.toLowerCase().includes(wanted);
  for (const list of document.querySelectorAll(".view .rows")) {
    list.parentElement.hidden = ![...list.children].some((item) => !item.hidden);
  }
});

// Keys: / search or URL, j and k next and previous finding, o open or close it, e expand all, ? this list.

const keys = document.querySelector("#keys");
keys?.querySelector("button").addEventListener("click", () => keys.close());
const step = (by) => {
  const shown = findingRows.filter((row) => !row.parentElement.hidden);
  const here = shown.findIndex((row) => row.contains(document.activeElement));
  shown[Math.min(Math.max(here + by, 0), shown.length - 1)]?.querySelector("summary").focus();
};
const pressed = {
  "/": () => document.querySelector("[data-hotkey='/']")?.focus(),
  "e": () => document.querySelector("[data-hotkey='e']")?.click(),
  "j": () => step(1),
  "k": () => step(-1),
  "o": () => document.activeElement.closest("details.row")?.querySelector("summary").click(),
  "?": () => keys?.showModal(),
};
document.addEventListener("keydown", (event) => {
  const writing = event.target.closest("input, textarea, select, dialog");
  if (writing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(pressed, event.key)) return;
  event.preventDefault();
  pressed[event.key]();
});

// Passkeys: the form has the question for the device, and carries its answer.

const passkey = document.querySelector("form[data-passkey]");
passkey?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (passkey.ariaBusy) return; // The device is being asked already.
  passkey.ariaBusy = "true";
  const problems = [...passkey.querySelectorAll("[data-problem]")];
  for (const each of problems) each.hidden = true;
  try {
    const { publicKey } = JSON.parse(passkey.dataset.passkey);
    const credential = publicKey.user
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
    passkey.elements.credential.value = JSON.stringify(credential);
    passkey.submit();
  } catch (error) {
    const problem = problems.find((each) => each.dataset.problem === error.name) ?? problems.at(-1);
    problem.hidden = false;
    say(problem.textContent);
  } finally {
    passkey.ariaBusy = null;
  }
});

// Menus: Escape and a click elsewhere close them, as people know it from other menus.

const menus = [...document.querySelectorAll("details.menu")];
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && menus.find((each) => each.open);
  if (!menu) return;
  // What had the focus is about to be hidden.
  if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  menu.open = false;
});
document.addEventListener("click", (event) => {
  for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
});

// Reports under way: a row (data-live-row) is brought up to date, any other element (data-report) has its page loaded
// again once there is something to show.

const rows = new Map([...document.querySelectorAll("[data-live-row]")].map((row) => [Number(row.dataset.liveRow), row]));
const others = new Set(
  [...document.querySelectorAll("[data-report]")]
    .filter((element) => UNFINISHED.includes(element.dataset.state))
    .map((element) => Number(element.dataset.report)),
);
const notice = document.querySelector("[data-live-notice]");
let wait = FIRST_MS;
let failures = 0;
let timer = 0;

const put = (row, part, text) => {
  for (const element of row.querySelectorAll(`[data-part="${part}"]`)) element.textContent = text;
};

const show = (row, report) => {
  const state = row.querySelector('[data-part="state"]');
  const changed = !state.classList.contains(report.state);
  state.className = `state ${report.state}`;
  put(row, "state", report.state_words);
  put(row, "when", report.ago);
  put(row, "failure", report.failure);
  if (!report.finished) return changed;
  row.querySelector('[data-part="verdict"]').className = `verdict-cell ${report.result ?? "none"}`;
  put(row, "result", report.result_words);
  put(row, "figure", report.score ?? "–");
  put(row, "score", report.score_words);
  row.querySelector('[data-part="fill"]').setAttribute("stroke-dasharray", `${report.score ?? 0} 100`);
  return true;
};

const heard = (answer) => {
  let changed = false;
  const said = [];
  for (const report of answer.reports) {
    if (report.finished && others.has(report.id)) {
      // Without its query, which says what had been done before.
      location.replace(location.pathname);
      return false;
    }
    const row = rows.get(report.id);
    if (!row) continue;
    if (report.state === "gone") {
      rows.delete(report.id);
      put(row, "state", report.state_words);
      continue;
    }
    changed = show(row, report) || changed;
    if (report.finished) {
      rows.delete(report.id);
      said.push(report.said);
    }
  }
  if (notice) {
    put(notice, "left", answer.left);
    notice.hidden = rows.size === 0;
  }
  for (const element of document.querySelectorAll("[data-count]")) {
    element.textContent = answer.counts[element.dataset.count];
  }
  if (said.length) say(said.join(" "));
  return changed;
};

const ask = async () => {
  timer = 0;
  const ids = [...rows.keys(), ...others];
  if (!ids.length || failures > MAX_FAILURES || document.hidden) return;
  try {
    // A redirect leads to the form to sign in: there is nothing to read there.
    const answer = await fetch(new URL(`reports/states?ids=${ids.join(",")}`, root), { redirect: "error" });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    wait = heard(await answer.json()) ? FIRST_MS : Math.min(wait * 1.5, LONGEST_MS);
    failures = 0;
  } catch {
    failures += 1;
    wait = Math.min(wait * 2, LONGEST_MS);
  }
  timer = setTimeout(ask, wait);
};

document.addEventListener("visibilitychange", () => {
  if (document.hidden || timer) return;
  failures = 0;
  ask();
});
if (rows.size || others.size) timer = setTimeout(ask, FIRST_MS);
