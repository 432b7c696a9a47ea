// The built book, served on this machine, and a browser to visit its pages with. BOOK names the
// folder, SMALL that of the book in `small/`, SUBPATH the path that both were built for (their
// `output.html.site-url`), CHROMIUM the browser.
import { resolve } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { filesOf, serve } from "./site.mjs";

export const FOLDER = resolve(process.env.BOOK ?? "../../target/book");
/** A book of two pages, for what a page need not have. */
export const SMALL = resolve(process.env.SMALL ?? "../../target/browser-small/built");
const SUBPATH = process.env.SUBPATH ?? "/warp-by-warp/";

export const THEMES = ["light", "navy"];
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/** What a reader reads: all pages but the contents without JavaScript, the page for a wrong address,
 * and the print page, which has them all once more. */
const OTHERS = ["toc.html", "404.html", "print.html"];
const READ = filesOf(FOLDER, ".html").filter((page) => !OTHERS.includes(page));
/** With SAMPLE, two pages of chapter 1 and the first page of every chapter; and not what takes minutes. */
const SAMPLED = /^(index|introduction|chapter_1_\w+\/(shared_memory|shuffles)|\w+\/index)\.html$/;
export const SAMPLE = Boolean(process.env.SAMPLE);
export const PAGES = SAMPLE ? READ.filter((page) => SAMPLED.test(page)) : READ;

let site;
let small;
let browser;
before(async () => {
    site = await serve(FOLDER, SUBPATH);
    small = await serve(SMALL, SUBPATH);
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox"],
    });
});
after(async () => {
    await browser?.close();
    site?.close();
    small?.close();
});

/** Where the book is served. */
export const root = () => site.root;
export const smallRoot = () => small.root;

/** Opens a page, by its path or its whole address, in a profile of its own, lets `look` look at it and
 * add to the problems, and returns these, with what went wrong meanwhile: messages on the console,
 * exceptions, requests beyond the book or for what is not there. `own` holds further places that are the book's. The page's
 * questions are skipped, unless it `isAsked`: what follows them would be hidden. */
export async function visit(path, { theme, own = [], isAsked = false, ...options }, look) {
    const profile = await browser.newContext({ viewport: DESKTOP, ...options });
    const problems = [];
    try {
        if (theme) {
            const choose = (name) => localStorage.setItem("mdbook-theme", name);
            await profile.addInitScript(choose, theme);
        }
        // The page that holds the whole book opens the dialog for printing by itself. It would be in the way of a test that prints.
        await profile.addInitScript(() => (window.print = () => {}));
        const page = await profile.newPage();
        listen(page, problems, own);
        const address = path.includes("://") ? path : site.root + path;
        // The page that holds the whole book takes half a minute on a busy machine.
        await page.goto(address, { waitUntil: "load", timeout: 120_000 });
        if (!isAsked && options.javaScriptEnabled !== false) {
            await page.evaluate(skipQuestions);
        }
        await look(page, problems);
    } finally {
        await profile.close();
    }
    return problems;
}

/** Skips every question of a page. */
export const skipQuestions = () => {
    for (const form of document.querySelectorAll(".asked form")) {
        [...form.querySelectorAll("button")].find((button) => button.textContent === "Skip").click();
    }
    document.activeElement?.blur();
};

function listen(page, problems, others) {
    const roots = [site.root, small.root, ...others];
    const own = [...roots, pathToFileURL(FOLDER).href, pathToFileURL(SMALL).href, "data:"];
    // What the page itself has put together; a page from a disk has no origin.
    const blobs = [...roots.map((root) => new URL(root).origin), "null"].map((origin) => `blob:${origin}/`);
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
            problems.push(`console: ${message.text()}`);
        }
    });
    page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
    page.on("request", (request) => {
        const url = request.url();
        if (![...own, ...blobs].some((start) => url.startsWith(start))) {
            problems.push(`a request beyond the book: ${url}`);
        }
    });
    page.on("response", (response) => {
        if (response.status() >= 400) {
            problems.push(`${response.status()}: ${response.url()}`);
        }
    });
}
