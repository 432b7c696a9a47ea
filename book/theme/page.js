// What mdBook's pages lack for those who use a keyboard or a screen reader.
"use strict";

(() => {
    // The bar at the top is the page's banner.
    document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");

    // What opens has a name and a role.
    document.getElementById("mdbook-search-wrapper")?.setAttribute("role", "search");
    document.getElementById("mdbook-searchresults-header")?.setAttribute("aria-live", "polite");
    const searchbar = document.getElementById("mdbook-searchbar");
    searchbar?.setAttribute("aria-label", "Search this book");
    searchbar?.setAttribute("aria-describedby", "mdbook-searchresults-header");
    const help = document.getElementById("mdbook-help-container");
    help?.setAttribute("role", "dialog");
    help?.setAttribute("aria-label", "Keyboard shortcuts");

    // mdBook calls its dark theme by a name of its own.
    const dark = document.getElementById("mdbook-theme-navy");
    if (dark) {
        dark.textContent = "Dark";
    }

    // A group of pages in the sidebar has no page of its own: its name opens it, for those who use a keyboard, too.
    for (const name of document.querySelectorAll("#mdbook-sidebar .chapter-link-wrapper > span")) {
        const toggle = name.parentElement.querySelector(".chapter-fold-toggle");
        const item = name.closest("li");
        const button = document.createElement("button");
        button.type = "button";
        button.className = "group";
        button.textContent = name.textContent;
        const follow = () => button.setAttribute("aria-expanded", item.classList.contains("expanded"));
        new MutationObserver(follow).observe(item, { attributeFilter: ["class"] });
        follow();
        button.addEventListener("click", () => toggle.click());
        name.replaceWith(button);
    }

    // The switch of the sidebar is a label, which no key reaches: a button stands in for it.
    const label = document.getElementById("mdbook-sidebar-toggle");
    if (label) {
        const button = document.createElement("button");
        for (const name of ["class", "title", "aria-label", "aria-controls"]) {
            button.setAttribute(name, label.getAttribute(name));
        }
        const follow = () => button.setAttribute("aria-expanded", label.getAttribute("aria-expanded"));
        new MutationObserver(follow).observe(label, { attributeFilter: ["aria-expanded"] });
        follow();
        button.type = "button";
        button.append(...label.childNodes);
        button.addEventListener("click", () => label.click());
        label.hidden = true;
        label.before(button);
    }

    // The first stop of the Tab key leads past the sidebar.
    const text = document.querySelector("main");
    if (text) {
        text.id ||= "text";
        text.tabIndex = -1;
        const skip = document.createElement("a");
        skip.className = "skip";
        skip.href = `#${text.id}`;
        skip.textContent = "Skip to the text";
        // Not by the address: that would add a step to the way back.
        skip.addEventListener("click", (event) => {
            event.preventDefault();
            text.focus();
        });
        document.body.prepend(skip);
    }

    // The printer prints this page: the page that holds the whole book is of several megabytes. Where the book lies beside
    // the pages as a PDF, the page says so.
    const printer = document.getElementById("print-button")?.closest("a");
    const pdf = document.querySelector('link[rel="alternate"][type="application/pdf"]');
    if (printer && pdf) {
        const link = document.createElement("a");
        link.className = "pdf";
        link.href = pdf.href;
        link.textContent = "PDF";
        link.title = pdf.title;
        link.setAttribute("aria-label", pdf.title);
        printer.after(link);
    }
    if (printer) {
        printer.title = "Print this page";
        printer.setAttribute("aria-label", printer.title);
        printer.addEventListener("click", (event) => {
            event.preventDefault();
            window.print();
        });
    }

    // Paper is light. The theme comes back afterwards.
    const html = document.documentElement;
    const sheets = ["mdbook-highlight-css", "mdbook-tomorrow-night-css"].map((id) => document.getElementById(id));
    let screen = null;
    function toPaper() {
        if (html.classList.contains("navy")) {
            screen = sheets.map((sheet) => sheet?.disabled);
            html.classList.replace("navy", "light");
            sheets.forEach((sheet, index) => sheet && (sheet.disabled = index > 0));
        }
    }
    function toScreen() {
        if (screen) {
            html.classList.replace("light", "navy");
            sheets.forEach((sheet, index) => sheet && (sheet.disabled = screen[index]));
            screen = null;
        }
    }
    addEventListener("beforeprint", toPaper);
    addEventListener("afterprint", toScreen);
    matchMedia("print").addEventListener("change", (e) => (e.matches ? toPaper() : toScreen()));

    // Browsers would break the line between a formula or code and the punctuation beside it, and behind the dashes of an
    // option. Long formulas and paths may break.
    for (const element of document.querySelectorAll("main .katex, main :not(pre) > code")) {
        const shown = element.querySelector(".katex-html") ?? element;
        if (shown.textContent.length > 20 || element.closest(".katex-display, pre, svg")) {
            continue;
        }
        const [before, after] = [element.previousSibling, element.nextSibling];
        const opening = before?.nodeType === Node.TEXT_NODE ? /[([“]*$/.exec(before.data)[0] : "";
        const closing = after?.nodeType === Node.TEXT_NODE ? /^[.,:;!?)\]”’]*/.exec(after.data)[0] : "";
        if (opening || closing || element.textContent.startsWith("--")) {
            const together = document.createElement("span");
            together.className = "together";
            element.before(together);
            together.append(opening, element, closing);
            if (opening) {
                before.data = before.data.slice(0, -opening.length);
            }
            if (closing) {
                after.data = after.data.slice(closing.length);
            }
        }
    }

    // What scrolls by itself is a stop of the Tab key, and there the arrows scroll: elsewhere they
    // turn the page.
    const scrollers = [...document.querySelectorAll("pre > code, .table-wrapper, .katex-display, figure.plot, .drawn .frame")];
    function update() {
        for (const scroller of scrollers) {
            if (scroller.scrollWidth > scroller.clientWidth) {
                scroller.tabIndex = 0;
            } else {
                scroller.removeAttribute("tabindex");
            }
            fade(scroller);
        }
    }
    /** Shows whether there is more to the right. */
    function fade(scroller) {
        const hidden = scroller.scrollWidth - scroller.clientWidth - scroller.scrollLeft;
        scroller.classList.toggle("goes-on", hidden > 2);
    }
    for (const scroller of scrollers) {
        scroller.addEventListener("scroll", () => fade(scroller), { passive: true });
        scroller.addEventListener("keydown", (event) => {
            if (scroller.hasAttribute("tabindex") && event.key.startsWith("Arrow")) {
                event.stopPropagation();
            }
        });
    }
    // Also when fonts have come, and when what is folded opens.
    const sizes = new ResizeObserver(update);
    scrollers.forEach((scroller) => sizes.observe(scroller));
    document.fonts.ready.then(update);
    update();
})();
