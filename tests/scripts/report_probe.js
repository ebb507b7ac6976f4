// Looks at the report from inside the browser; test_report_browser.py adds it to a copy of the page,
// which it puts into a frame.

const chosenByHand = (id, value) => {
  byId(id).value = value;
  byId(id).dispatchEvent(new Event("change"));
};

// Elements that reach beyond the window, but for what lies in a box that scrolls or hides.
function tooWide() {
  return [...document.body.querySelectorAll("*")].filter((element) => {
    if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return false;
    }
    return true;
  }).map((element) => `${element.tagName} ${element.id} ${element.className}`);
}

// Texts of the bars that lie on each other.
function overlapping() {
  const found = [];
  for (const row of document.querySelectorAll(".row")) {
    const boxes = [...row.children].map((part) => part.getBoundingClientRect())
      .filter((box) => box.width > 0);
    for (const [at, one] of boxes.entries()) {
      found.push(...boxes.slice(at + 1).filter((other) => one.left < other.right - 1 &&
        other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1)
        .map(() => row.textContent));
    }
  }
  return found;
}

// Selects of which a choice is wider than its box.
function cutOff() {
  return [...document.querySelectorAll("select")].filter((select) => {
    const whole = select.cloneNode(true);
    whole.style = "width: auto; max-width: none; position: absolute";
    select.after(whole);
    const isCut = whole.offsetWidth > select.offsetWidth + 1;
    whole.remove();
    return isCut;
  }).map((select) => select.id);
}

// What is to be tapped and is smaller than a finger; links within text may be.
function small() {
  return [...document.querySelectorAll("a, button, select, input, summary")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline")
    .filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 24).map((one) => one.textContent || one.id);
}

// How far below the top of the window something is; 0 at the end of a page that cannot scroll further.
function below(id) {
  const { scrollTop, scrollHeight } = document.documentElement;
  return scrollTop + innerHeight >= scrollHeight - 1 ? 0 : byId(id).getBoundingClientRect().top;
}

function contrast(selector) {
  const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ink = light(getComputedStyle(document.querySelector(selector)).color);
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}

const bottoms = (selectors) => Object.fromEntries(selectors.map((selector) => {
  const parts = [...document.querySelectorAll(selector)];
  return [selector, parts.length ? Math.max(...parts.map((one) => one.getBoundingClientRect().bottom)) : 1e9];
}));

async function look() {
  if (document.readyState !== "complete") await new Promise((done) => { addEventListener("load", done); });
  const landed = location.hash && [location.hash, below(location.hash.slice(1))];
  document.documentElement.style.scrollBehavior = "auto";
  const jumps = [...document.querySelectorAll("nav a")].map(({ hash }) => {
    location.hash = hash;
    return below(hash.slice(1));
  });
  scrollTo({ top: 0, behavior: "instant" });
  const checked = {
    landed, jumps, cutOff: cutOff(), small: small(),
    figures: [...document.querySelectorAll("figure img")].map((image) => image.naturalWidth),
    width: innerWidth, scrollWidth: document.documentElement.scrollWidth, tooWide: tooWide(),
    overlapping: overlapping(),
    bottoms: bottoms(["#facts", "#place", "#need", "#setting", "#load", "#sentence", "#include",
                      ".row.best", ".row.own", "#counts button", "#glance li"]),
    glance: ["top", "height"].map((edge) => document.querySelector("#glance button").getBoundingClientRect()[edge]),
    unnamed: [...document.querySelectorAll("select, input, button:not([hidden])")]
      .filter((one) => !one.labels?.length && !one.textContent.trim()).length,
    contrast: { text: contrast("body"), quiet: contrast(".quiet"), winner: contrast("#sentence b") },
    paper: getComputedStyle(document.body).backgroundColor,
    sentences: [byId("sentence").textContent], names: [], claims: {} };
  const note = () => {
    checked.sentences.push(byId("sentence").textContent);
    checked.names.push(document.querySelector(".row.best .name").textContent);
  };
  chosenByHand("load", byId("load").options[0].value);
  note();
  chosenByHand("need", byId("need").options[1].value);
  note();
  chosenByHand("setting", byId("setting").options[1].value);
  note();
  checked.address = location.hash;

  const rows = () => [...byId("claim-rows").children];
  checked.claims.all = rows().length;
  checked.claims.why = rows().filter((row) => row.querySelector(".why")?.checkVisibility()).map((row) => row.id);
  byId("of-verdict").value = "holds";
  byId("of-verdict").dispatchEvent(new Event("input"));
  checked.claims.holds = rows().length;
  byId("of-verdict").value = "";
  byId("of-text").value = "t08";
  byId("of-text").dispatchEvent(new Event("input"));
  checked.claims.t08 = rows().map((row) => row.id);
  byId("of-text").value = "";
  byId("of-text").dispatchEvent(new Event("input"));
  byId("headings").children[0].firstChild.click();
  checked.claims.last = rows()[0].id;
  chosenByHand("beside", byId("beside").options[1].value);
  checked.beside = [byId("other").textContent, document.querySelectorAll(".track + .track").length, location.hash];
  // Stripes of the verdicts, before and after the paper's own program says otherwise of the first claim.
  const striped = () => [...document.querySelectorAll(".stack .dissenting")]
    .filter((part) => part.style.flexGrow > 0 && getComputedStyle(part).backgroundImage.includes("repeating"))
    .map((part) => part.closest("button").lastChild.textContent);
  const before = striped();
  judgedOf(data.claims[0]).dissent = "originals: does not hold";
  showPlace();
  checked.striped = [before, striped(), dissenting(data.claims[0].paper).length];
  // Everything opened is no wider either.
  for (const one of document.querySelectorAll("details")) one.open = true;
  checked.openWidth = document.documentElement.scrollWidth;
  checked.tooWide.push(...tooWide());
  checked.problems = problems;
  return checked;
}

look().catch((error) => ({ problems: [error.stack] }))
  .then((checked) => parent.postMessage(JSON.stringify(checked), "*"));
