// Asks readers for their prediction before a page shows what was measured, and keeps it in the browser. What follows in the
// section waits, too. Without this script the answer is a plain fold-out, and nothing waits.
"use strict";

(() => {
    const STORE = "warp-by-warp prediction ";
    const isPrint = location.pathname.endsWith("/print.html") || location.pathname.endsWith("/print-still.html"); // all pages once more, with nothing folded
    const kept = new Map(); // what the browser refuses to store, until the page is left

    function load(key) {
        try {
            return kept.get(key) ?? localStorage.getItem(STORE + key) ?? undefined;
        } catch {
            return undefined;
        }
    }

    function save(key, text) {
        try {
            localStorage.setItem(STORE + key, text);
            kept.delete(key);
        } catch {
            kept.set(key, text); // Some browsers store nothing for a file, or at all.
        }
    }

    /** What came of a prediction that was typed, by what its question's `data` attributes say; nothing of a text. */
    function verdict({ kind, value }, text) {
        const number = Number.parseFloat((text ?? "").replace("−", "-"));
        return value === undefined || Number.isNaN(number) ? "" : window.verdictOn(kind, number, Number(value));
    }

    function made(name, properties, ...children) {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    }

    const unfoldings = new Map(); // for each element that waits behind a form, what opens it

    function setUp(asked, number) {
        const { key, unit } = asked.dataset;
        const details = asked.querySelector("details.ask");
        const question = details.querySelector("summary");
        const content = details.querySelector(".unfolded");
        const behind = asked.nextElementSibling;
        content.tabIndex = -1;
        content.setAttribute("role", "group");
        content.setAttribute("aria-label", "Prediction and result");

        const input = made("input", { id: `ask-field-${number}`, required: true, autocomplete: "off" });
        input.type = unit === undefined ? "text" : "number";
        if (unit === undefined) {
            input.maxLength = 80;
        } else {
            input.step = "any";
            input.setAttribute("aria-describedby", `ask-unit-${number}`);
        }
        const label = made("label", { htmlFor: input.id }, ...question.cloneNode(true).childNodes);
        const inUnit = made("span", { id: `ask-unit-${number}`, className: "unit" }, unit ?? "");
        const show = made("button", { type: "submit" }, "Show");
        const skip = made("button", { type: "button" }, "Skip");
        const field = made("span", {}, input, inUnit);
        const row = made("div", { className: "row" }, field, made("span", {}, show, skip));
        const wait = made("p", { className: "waits" }, "The section goes on when you have answered or skipped.");
        const form = made("form", { className: "predict" }, label, row, wait);

        const own = made("strong");
        const cameOfIt = made("span");
        const change = made("button", { type: "button" }, "Change");
        const yours = made("p", { className: "yours" }, "Your prediction, ", own, ", ", cameOfIt, ". ", change);

        function unfold() {
            const text = load(key);
            own.textContent = text ?? "";
            cameOfIt.textContent = verdict(asked.dataset, text) || "is kept";
            yours.hidden = !text;
            form.hidden = true;
            details.hidden = false;
            details.open = true;
            behind.hidden = false;
        }

        function ask() {
            form.hidden = false;
            yours.hidden = true; // On paper the answer is there all the same.
            details.hidden = true;
            behind.hidden = true;
        }

        function answered() {
            unfold();
            content.focus({ preventScroll: true });
        }

        form.addEventListener("submit", (event) => {
            event.preventDefault();
            const between = unit?.startsWith("×") ? "" : "\u00a0";
            const typed = input.value.trim().replace("-", "−");
            save(key, unit === undefined ? input.value.trim() : typed + between + unit);
            answered();
        });
        skip.addEventListener("click", () => {
            save(key, ""); // so that it is not asked again
            answered();
        });
        change.addEventListener("click", () => {
            ask();
            input.focus();
        });
        // mdBook turns pages with the arrow keys.
        form.addEventListener("keydown", (event) => event.stopPropagation());

        content.prepend(yours);
        asked.prepend(form);
        unfoldings.set(details, unfold);
        unfoldings.set(behind, unfold);
        if (isPrint || load(key) !== undefined) {
            unfold();
        } else {
            ask();
        }
    }

    /** Opens all that `target` is folded in, and says whether that was anything. */
    window.reveal = (target) => {
        const FOLDED = "details:not([open]), details[hidden], .behind[hidden]";
        let isOpened = false;
        for (let box = target.closest(FOLDED); box; box = target.closest(FOLDED)) {
            (unfoldings.get(box) ?? (() => (box.open = true)))();
            isOpened = true;
        }
        return isOpened;
    };

    // What a link leads to is not left folded.
    function follow() {
        let id;
        try {
            id = decodeURIComponent(location.hash.slice(1));
        } catch {
            return; // A link that was cut leads nowhere.
        }
        const target = id && document.getElementById(id);
        if (target && window.reveal(target)) {
            target.scrollIntoView();
        }
    }

    /** Shows what was measured, unless the question is still to be answered: no list gives an answer away. */
    function cover(measured, waits) {
        const [value, wait] = measured.children;
        value.hidden = waits;
        wait?.remove();
        if (waits) {
            measured.append(made("em", {}, "after your answer"));
        }
    }

    /** Fills the list of predictions: the reader's numbers, what came of each, how many held, and how far off they were. */
    function list() {
        let [judged, held] = [0, 0];
        const dots = [];
        for (const cell of document.querySelectorAll(".predictions .own")) {
            cell.hidden = false;
            if (cell.dataset.key) {
                const text = load(cell.dataset.key);
                const words = verdict(cell.dataset, text);
                cell.textContent = text || "–";
                cell.nextElementSibling.textContent = words;
                judged += words === "" ? 0 : 1;
                held += words === "held" ? 1 : 0;
                cover(cell.parentElement.lastElementChild, text === undefined && !isPrint);
                const ratio = Number.parseFloat((text ?? "").replace("−", "-")) / Number(cell.dataset.value);
                if (words !== "" && ratio > 0 && Number.isFinite(ratio)) {
                    dots.push({ ratio, words, text, question: cell.parentElement.firstElementChild.textContent });
                }
            }
        }
        for (const scores of document.querySelectorAll(".scores")) {
            scores.hidden = judged === 0;
            const one = held === 1 ? "held" : "did not hold";
            scores.textContent = judged === 1 ? `Your predicted number ${one}.` : `${held} of your ${judged} predicted numbers held.`;
        }
        // On paper, a list without any number of the reader has no columns for them.
        for (const table of document.querySelectorAll(".predictions")) {
            const isTyped = (cell) => cell.dataset.key && load(cell.dataset.key);
            table.classList.toggle("unanswered", ![...table.querySelectorAll(".own")].some(isTyped));
        }
        document.querySelectorAll(".dots").forEach((old) => old.remove());
        const all = document.querySelector(".predictions.all");
        if (all && dots.length > 0) {
            (all.closest(".table-wrapper") ?? all).before(plot(dots));
        }
    }

    // ---- The reader's numbers over the measured ones, as dots on a logarithmic axis.

    const [WIDEST, HEAD, ROW, EDGE] = [640, 30, 14, 30]; // of the plot, of its axis, of a row of dots, and beside the axis
    const DECADES = 2; // to each side of 1, at least

    function drawn(name, attributes, ...children) {
        const element = document.createElementNS("http://www.w3.org/2000/svg", name);
        Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
        element.append(...children);
        return element;
    }

    /** The row of each dot, so that no two lie on one another. */
    function rows(places) {
        const taken = [];
        return places.map((place) => {
            const free = taken.findIndex((last) => place - last >= ROW);
            const row = free < 0 ? taken.length : free;
            taken[row] = place;
            return row;
        });
    }

    function plot(dots) {
        const width = Math.min(WIDEST, document.querySelector("main").clientWidth);
        const sorted = dots.toSorted((a, b) => a.ratio - b.ratio);
        const decades = Math.max(DECADES, ...sorted.map(({ ratio }) => Math.ceil(Math.abs(Math.log10(ratio)))));
        const place = (ratio) => EDGE + ((Math.log10(ratio) + decades) / (2 * decades)) * (width - 2 * EDGE);
        const places = sorted.map(({ ratio }) => place(ratio));
        const at = rows(places);
        const bottom = HEAD + ROW * (Math.max(...at) + 1.5);
        const powers = Array.from({ length: 2 * decades + 1 }, (_, index) => index - decades);
        const label = (power) => (power >= 0 ? `${10 ** power}×` : `1/${10 ** -power}`);
        const axis = powers.flatMap((power) => [
            drawn("line", { x1: place(10 ** power), x2: place(10 ** power), y1: HEAD - 8, y2: bottom, class: power === 0 ? "one" : "" }),
            drawn("text", { x: place(10 ** power), y: HEAD - 14, "text-anchor": "middle" }, label(power)),
        ]);
        const circles = sorted.map(({ words, text, question }, index) =>
            drawn("circle", { cx: places[index], cy: HEAD + ROW * (at[index] + 0.5), r: 5, class: words === "held" ? "held" : "" }, drawn("title", {}, `${question} ${text}: ${words}`)),
        );
        const title = dots.length === 1 ? "Your predicted number over the measured one" : `Your ${dots.length} predicted numbers over the measured ones`;
        const svg = drawn("svg", { viewBox: `0 0 ${width} ${bottom}`, role: "img", "aria-label": `${title}. The table below lists them.` }, ...axis, ...circles);
        return made("figure", { className: "dots" }, svg, made("figcaption", {}, `${title}, on a logarithmic axis: left of 1× those that were too low, right of it those that were too high. Filled dots held.`));
    }

    document.querySelectorAll(".asked").forEach(setUp);
    list();
    window.addEventListener("pageshow", list); // also on the way back
    follow();
    window.addEventListener("hashchange", follow);
    // A second click on the same link changes nothing in the address.
    document.addEventListener("click", (event) => {
        if (event.target instanceof Element && event.target.closest("a[href*='#']")) {
            setTimeout(follow);
        }
    });
})();
