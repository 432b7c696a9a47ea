// Shows what the glossary says of a word when it is pointed at, reached by the keyboard, or tapped.
// Without this script the word is a link to the glossary's entry.
"use strict";

(() => {
    const MARGIN = 8; // pixels between an explanation and the window's edges
    const terms = [...document.querySelectorAll("a.term[data-definition]")];
    let shown = null;
    let touched = null; // the word that the last touch fell on, if it was not explained already

    function explain(term, number) {
        const text = document.createElement("span");
        text.id = `term-${number}`;
        text.className = "definition";
        text.setAttribute("role", "tooltip");
        text.textContent = term.dataset.definition;
        text.hidden = true;
        term.setAttribute("aria-describedby", text.id);
        text.addEventListener("pointerleave", leave);
        return text;
    }

    function place(term, text) {
        const word = term.getClientRects()[0];
        const box = text.getBoundingClientRect();
        const width = document.documentElement.clientWidth;
        const left = Math.max(MARGIN, Math.min(word.left, width - box.width - MARGIN));
        const below = word.bottom + box.height <= window.innerHeight;
        text.style.left = `${left + window.scrollX}px`;
        text.style.top = `${(below ? word.bottom : word.top - box.height) + window.scrollY}px`;
    }

    function show(term) {
        if (shown === term) {
            return;
        }
        hide();
        const text = document.getElementById(term.getAttribute("aria-describedby"));
        text.hidden = false;
        place(term, text);
        shown = term;
    }

    function hide() {
        if (shown) {
            document.getElementById(shown.getAttribute("aria-describedby")).hidden = true;
            shown = null;
        }
    }

    // From the word to its explanation and back nothing closes, so that its text can be pointed at.
    function leave(event) {
        const to = event.relatedTarget;
        const inside = to instanceof Element && (to.closest(".definition") || to.closest("a.term") === shown);
        if (event.pointerType === "mouse" && !inside) {
            hide();
        }
    }

    function watch(term) {
        term.addEventListener("pointerenter", (event) => {
            if (event.pointerType === "mouse") {
                show(term);
            }
        });
        term.addEventListener("pointerleave", leave);
        term.addEventListener("pointerdown", (event) => {
            touched = event.pointerType !== "mouse" && shown !== term ? term : null;
        });
        term.addEventListener("focus", () => show(term));
        term.addEventListener("blur", hide);
        // The first tap explains, the second follows the link.
        term.addEventListener("click", (event) => {
            if (touched === term) {
                event.preventDefault();
                show(term);
            }
            touched = null;
        });
    }

    const texts = terms.map(explain);
    document.body.append(...texts);
    terms.forEach(watch);
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") {
            hide();
        }
    });
    document.addEventListener("pointerdown", (event) => {
        if (shown && event.target instanceof Element && !event.target.closest("a.term, .definition")) {
            hide();
        }
    });

    // What unfolds is printed unfolded.
    window.addEventListener("beforeprint", () => {
        for (const folded of document.querySelectorAll("details:not([open])")) {
            folded.open = true;
            folded.classList.add("opened");
        }
    });
    window.addEventListener("afterprint", () => {
        for (const opened of document.querySelectorAll("details.opened")) {
            opened.open = false;
            opened.classList.remove("opened");
        }
    });
})();
