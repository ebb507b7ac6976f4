// Figures, runs, and the start.

// Figures are packed. All are unpacked at once, and a frame whose document stays open holds the page's event "load"
// back until they are, so that a print of a page that was just opened has them.
async function unpackAll(figures) {
  const frame = make("iframe", { hidden: true });
  document.body.append(frame);
  frame.contentDocument.open();
  await Promise.all(figures.map(([image, svg]) => unpack(image, svg)));
  frame.remove();
}

async function unpack(image, svg) {
  const bytes = Uint8Array.from(atob(svg), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(plain).text();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
}

function showFigures() {
  const packed = [];
  byId("figure-list").replaceChildren(...place().figures.map((figure) => {
    const [width, height] = figure.size;
    const image = make("img", { alt: figure.title, width, height });
    if (figure.svg) packed.push([image, figure.svg]);
    return make("figure", {}, make("figcaption", {}, make("b", {}, capital(figure.title))),
                figure.svg ? make("div", { className: "wide", tabIndex: 0 }, image)
                  : make("p", { className: "quiet" }, `No room for it here: see ${figure.file}.`),
                make("details", {}, make("summary", {}, "How to repeat it, and the claims about it"),
                     make("p", {}, figure.claims.length ? `Claims: ${figure.claims.join(", ")}`
                       : "No claim is about it."),
                     commandBlock(figure.commands)));
  }));
  unpackAll(packed);
  if (!place().figures.length) {
    byId("figure-list").replaceChildren(make("p", { className: "note" },
      "No figure of a paper is drawn from these results: scripts/figures.py draws them, and says " +
      "which rows are missing."));
  }
}

function showRuns() {
  byId("run-list").replaceChildren(...data.runs.map((run) => make("details", { className: "run" },
    make("summary", {}, make("b", {}, run.file), make("span", {}, run.gpu),
         make("span", {}, run.driver ? `driver ${run.driver}` : ""),
         make("span", {}, run.date ?? "no date"), make("code", {}, run.revision ?? "no revision")),
    make("p", {}, [run.about, run.points, run.left].filter(Boolean).join(" ")),
    run.command ? commandBlock([run.command]) : make("p", {}, "No plan of this repository measures it."))));
}

function choosePlace(change) {
  choose(change);
  byId("place").value = `${chosen.place}`;
  showPlace();
  if (place().needs.length) showAnswer();
  showClaims();
  showFigures();
}

function start() {
  byId("nothing").replaceChildren(...withNames(data.missing));
  showRuns();
  if (!data.places.length) {
    document.body.className = "empty";
    return;
  }
  fill(byId("place"), data.places.map((one, at) => [`${at}`, one.name]), "0");
  byId("place").onchange = (event) => { choosePlace({ place: Number(event.target.value) }); remember(); };
  byId("beside").onchange = (event) => pick({ beside: Number(event.target.value) });
  byId("need").onchange = (event) => pick({ need: Number(event.target.value), setting: "", load: "" });
  byId("setting").onchange = (event) => pick({ setting: event.target.value });
  byId("load").onchange = (event) => pick({ load: event.target.value });
  byId("more").onclick = () => { chosen.all = true; showAnswer(); };
  prepareClaims();
  choosePlace(asked());
  // An address such as #runs or #T08 names what the script has only now made.
  document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" });
}

start();
