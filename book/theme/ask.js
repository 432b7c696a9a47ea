// Asks readers for their prediction before a page shows what was measured, and keeps it in the browser.
// Without this script the text that follows is a plain fold-out.
"use strict";

(() => {
    const STORE = "warp-by-warp prediction ";
    const isPrint = location.pathname.endsWith("/print.html"); // all pages once more, with nothing folded
    const kept = new Map(); // what the browser refuses to store, until the page is left

    function load(key) {
        try {
            return localStorage.getItem(STORE + key) ?? kept.get(key);
        } catch {
            return kept.get(key);
        }
    }

    function save(key, text) {
        kept.set(key, text);
        try {
            localStorage.setItem(STORE + key, text);
        } catch { /* Some browsers store nothing for a file, or at all. */ }
    }

    function made(name, properties, ...children) {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    }

    const unfoldings = new Map(); // for each fold-out that waits behind a form, what opens it

    function setUp(asked, number) {
        const { key, unit } = asked.dataset;
        const details = asked.querySelector("details.ask");
        const question = details.querySelector("summary");
        const content = details.querySelector(".unfolded");
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
        const form = made("form", { className: "predict" }, label, row);

        const own = made("strong");
        const change = made("button", { type: "button" }, "Change");
        const yours = made("p", { className: "yours" }, "Your prediction: ", own, " ", change);

        function unfold() {
            const text = load(key);
            own.textContent = text ?? "";
            yours.hidden = text === undefined;
            form.hidden = true;
            details.hidden = false;
            details.open = true;
        }

        function ask() {
            form.hidden = false;
            details.hidden = true;
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
        skip.addEventListener("click", answered);
        change.addEventListener("click", () => {
            ask();
            input.focus();
        });
        // mdBook turns pages with the arrow keys.
        form.addEventListener("keydown", (event) => event.stopPropagation());

        content.prepend(yours);
        asked.prepend(form);
        unfoldings.set(details, unfold);
        if (isPrint || load(key) !== undefined) {
            unfold();
        } else {
            ask();
        }
    }

    // What a link leads to is not left folded.
    function reveal() {
        const id = decodeURIComponent(location.hash.slice(1));
        const target = id && document.getElementById(id);
        let isOpened = false;
        for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details")) {
            if (!box.open || box.hidden) {
                (unfoldings.get(box) ?? (() => (box.open = true)))();
                isOpened = true;
            }
        }
        if (isOpened) {
            target.scrollIntoView();
        }
    }

    function list() {
        for (const cell of document.querySelectorAll(".predictions .own")) {
            cell.hidden = false;
            if (cell.dataset.key) {
                cell.textContent = load(cell.dataset.key) ?? "–";
            }
        }
    }

    document.querySelectorAll(".asked").forEach(setUp);
    list();
    window.addEventListener("pageshow", list); // also on the way back
    reveal();
    window.addEventListener("hashchange", reveal);
    // A second click on the same link changes nothing in the address.
    document.addEventListener("click", (event) => {
        if (event.target instanceof Element && event.target.closest("a[href*='#']")) {
            setTimeout(reveal);
        }
    });
})();
