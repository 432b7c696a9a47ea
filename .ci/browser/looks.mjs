// What is looked for within a page. Each function runs in the browser, and returns what is wrong, a
// line each.

/** Formulas and directives that were left as they are written. */
export function unrendered() {
    const problems = [];
    const skipped = "script, style, template, code, pre, svg, .katex";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.data;
        if (/\$|\{\{#|\\\(|\\\[/.test(text) && !walker.currentNode.parentElement.closest(skipped)) {
            problems.push(`not rendered: ${text.trim().slice(0, 80)}`);
        }
    }
    return problems;
}

/** Formulas without MathML, or not in KaTeX's fonts. */
export async function formulas() {
    const problems = [];
    await document.fonts.ready;
    for (const formula of document.querySelectorAll(".katex")) {
        const words = formula.textContent.slice(0, 40);
        if (!formula.querySelector(".katex-mathml math")) {
            problems.push(`no MathML: ${words}`);
        }
        if (!getComputedStyle(formula).fontFamily.includes("KaTeX_Main")) {
            problems.push(`KaTeX's stylesheet does not apply: ${words}`);
        }
    }
    // A browser loads a font when a text is drawn in it, so formulas inside closed fold-outs load none.
    const drawn = [...document.querySelectorAll(".katex")].some((formula) => formula.checkVisibility());
    const loaded = [...document.fonts].some((f) => f.family.includes("KaTeX") && f.status === "loaded");
    if (drawn && !loaded) {
        problems.push("none of KaTeX's fonts was loaded");
    }
    return problems;
}

/** Pictures that say nothing to those who cannot see them. */
export function alternatives() {
    const problems = [];
    const text = (ids) =>
        (ids ?? "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    for (const image of document.querySelectorAll("main img")) {
        if (!image.alt.trim()) {
            problems.push(`no text for the image ${image.src}`);
        }
    }
    for (const figure of document.querySelectorAll("main figure")) {
        const where = figure.id || figure.textContent.trim().slice(0, 40);
        for (const drawing of figure.querySelectorAll("svg")) {
            const name = text(drawing.getAttribute("aria-labelledby")) || drawing.getAttribute("aria-label") || "";
            if (drawing.getAttribute("role") !== "img" || name.trim() === "") {
                problems.push(`${where}: a drawing without a name`);
            }
            const described = drawing.getAttribute("aria-describedby");
            const words = text(described) || figure.querySelector("table")?.textContent || "";
            if (words.trim() === "") {
                problems.push(`${where}: a drawing without a description`);
            }
        }
        if (!figure.querySelector("figcaption")?.textContent.trim()) {
            problems.push(`${where}: a figure without a caption`);
        }
    }
    return problems;
}

/** Whatever makes the page itself scroll sideways: mdBook's box around the content would, and the
 * window. */
export function overflow() {
    const main = document.querySelector("main");
    const around = [];
    for (let box = main; box; box = box.parentElement) {
        around.push(box);
    }
    const scrolling = around.find((box) => box.scrollWidth > box.clientWidth && box.clientWidth > 0);
    if (!scrolling) {
        return [];
    }
    const width = scrolling.clientWidth;
    const isKept = (element) => {
        for (let box = element.parentElement; box && box !== main; box = box.parentElement) {
            if (/auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX)) {
                return true;
            }
        }
        return false;
    };
    const edge = scrolling.getBoundingClientRect().left + width + 0.5;
    const wide = [...main.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > edge && !isKept(e));
    const names = wide.slice(0, 4).map((e) => `<${e.tagName.toLowerCase()} class="${e.getAttribute("class") ?? ""}"> ${e.textContent.trim().slice(0, 40)}`);
    return [`${scrolling.scrollWidth} px wide instead of ${width}: ${names.join("; ")}`];
}

/** All that the contrast of the page's text depends on, each once: its colour, what is behind it, size and weight. */
export function colours() {
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || element.getClientRects().length === 0) {
            continue;
        }
        const { color, fill, fontSize, fontWeight } = getComputedStyle(element);
        const behind = [];
        for (let box = element; box; box = box.parentElement) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(box);
            if (backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none" || opacity !== "1") {
                behind.push(backgroundColor, backgroundImage, opacity);
            }
        }
        found.add([color, element instanceof SVGElement && fill, fontSize, fontWeight, ...behind].join("|"));
    }
    return [...found];
}

/** The page's links, absolute, and its anchors. */
export function linksAndAnchors() {
    return {
        links: [...document.querySelectorAll("a[href]")].map((a) => a.href),
        anchors: [
            ...[...document.querySelectorAll("[id]")].map((e) => e.id),
            ...[...document.querySelectorAll("[data-lab]")].map((e) => `lab=${e.dataset.lab}`),
        ],
    };
}

/** Milliseconds to the first content on the screen. */
export function firstPaint() {
    return performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity;
}

/** Bytes over the network for this page, compressed, without fonts. */
export function weight() {
    const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    return entries.filter((e) => !e.name.endsWith(".woff2")).reduce((sum, e) => sum + e.transferSize, 0);
}
