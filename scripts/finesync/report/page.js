// Figures, runs, and the start.

// Figures are packed: they are unpacked when they come into view.
async function unpack(image, svg) {
  const bytes = Uint8Array.from(atob(svg), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(plain).text();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
}

function showFigures() {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      unpack(target, place().figures.find((one) => one.name === target.dataset.name).svg);
    }
  }, { rootMargin: "600px" });
  byId("figure-list").replaceChildren(...place().figures.map((figure) => {
    const image = make("img", { alt: figure.title, "data-name": figure.name });
    if (figure.svg) seen.observe(image);
    return make("figure", {}, make("figcaption", {}, make("b", {}, capital(figure.title))),
                figure.svg ? make("div", { className: "wide", tabIndex: 0 }, image)
                  : make("p", { className: "quiet" }, `No room for it here: see ${figure.file}.`),
                make("details", {}, make("summary", {}, "How to repeat it, and the claims about it"),
                     make("p", {}, figure.claims.length ? `Claims: ${figure.claims.join(", ")}`
                       : "No claim is about it."),
                     commandBlock(figure.commands)));
  }));
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
  byId("place").onchange = (event) => choosePlace({ place: Number(event.target.value) });
  byId("need").onchange = (event) => choose({ need: Number(event.target.value), setting: "", load: "" });
  byId("setting").onchange = (event) => choose({ setting: event.target.value });
  byId("load").onchange = (event) => choose({ load: event.target.value });
  byId("more").onclick = () => { chosen.all = true; showAnswer(); };
  prepareClaims();
  choosePlace(asked());
}

start();
