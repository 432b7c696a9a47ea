// Every page of the built book in a real browser. `npm test` runs this; see visit.mjs.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, test } from "node:test";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { filesOf } from "./site.mjs";
import { FOLDER, PAGES, PHONE, SAMPLE, root, skipQuestions, visit } from "./visit.mjs";

const LARGEST_PAGE = 300_000; // bytes, compressed, fonts aside
const LARGEST_SCRIPT = 50_000; // bytes of our own
const SLOWEST_PAINT = 1_000; // milliseconds

/** Steps through every figure that has steps. */
async function steps(page) {
    const problems = [];
    for (const figure of await page.locator("figure.drawn:has(.controls)").all()) {
        const id = await figure.getAttribute("id");
        const state = () => figure.evaluate((f) => [...f.querySelectorAll("[data-step]")].map((e) => `${e.hidden}${e.classList.contains("later")}`).join() + f.querySelector(".now").textContent);
        await figure.getByRole("button", { name: "Show all steps" }).click();
        const all = await state();
        await figure.getByRole("button", { name: "Next step" }).click();
        const first = await state();
        await page.keyboard.press("ArrowRight");
        const second = await state();
        if (new Set([all, first, second]).size !== 3) {
            problems.push(`${id}: its controls do not step`);
        }
    }
    const stepless = "figure.drawn:not(:has(.controls)):is(:has(.said[data-steps] li + li), :has(.part + .part))";
    for (const figure of await page.locator(stepless).all()) {
        problems.push(`${await figure.getAttribute("id")}: steps without controls`);
    }
    return problems;
}

/** Texts that axe-core has seen in the dark, see `looks.colours`. */
const seenInTheDark = new Set();

/** The page with the colours of another theme, which are all that differs: only texts in new colours are of interest. */
async function inTheDark(page) {
    await page.evaluate(async () => {
        document.getElementById("mdbook-theme-navy").click();
        await Promise.all(document.getAnimations().map((animation) => animation.finished));
    });
    assert.ok(await page.locator("html.navy").count(), "the theme has changed");
    const texts = await page.evaluate(looks.colours);
    const unseen = texts.filter((text) => !seenInTheDark.has(text));
    unseen.forEach((text) => seenInTheDark.add(text));
    return unseen.length > 0 ? accessibility(page, ["color-contrast"]) : [];
}

/** The page as a phone loads it, in the dark. The menus of a phone are the same on every page. */
async function onAPhone(page, path) {
    await page.setViewportSize(PHONE);
    await page.reload();
    await page.evaluate(() => document.fonts.ready);
    const problems = await page.evaluate(looks.overflow);
    return path.endsWith("index.html") ? [...problems, ...(await accessibility(page))] : problems;
}

const anchorsOf = new Map();
const linksOf = new Map();

/** How light and quick a page is, in a profile that has nothing of it yet. */
async function cost(page) {
    const problems = [];
    const bytes = await page.evaluate(looks.weight);
    if (bytes >= LARGEST_PAGE) {
        problems.push(`${bytes} bytes over the network`);
    }
    const paints = [await page.evaluate(looks.firstPaint)];
    while (Math.min(...paints) >= SLOWEST_PAINT && paints.length < 3) {
        await page.reload();
        paints.push(await page.evaluate(looks.firstPaint));
    }
    if (Math.min(...paints) >= SLOWEST_PAINT) {
        problems.push(`first paint after ${paints.map(Math.round).join(", ")} ms`);
    }
    return problems;
}

/** What a page shows of what waits for an answer, before and after its questions are skipped. */
async function asks(page) {
    const shown = () =>
        page.evaluate(() => {
            const isShown = (element) => element.checkVisibility();
            const waiting = [...document.querySelectorAll(".unfolded, .behind")];
            return { shown: waiting.filter(isShown).length, all: waiting.length };
        });
    const before = await shown();
    await page.evaluate(skipQuestions);
    const after = await shown();
    return [
        ...(before.shown === 0 ? [] : [`${before.shown} answers are shown before they are asked for`]),
        ...(after.shown === after.all ? [] : [`${after.all - after.shown} answers stay hidden`]),
    ];
}

/** Also the page that has them all once more. */
const ALL = SAMPLE ? PAGES : [...PAGES, "print.html"];

describe("every page", { concurrency: 2 }, () => {
    for (const path of ALL) {
        test(path, async () => {
            const problems = await visit(path, { isAsked: true }, async (page, found) => {
                const isForReading = path !== "print.html";
                if (isForReading) {
                    found.push(...(await cost(page)), ...(await asks(page)));
                }
                for (const look of [looks.unrendered, looks.formulas, looks.alternatives]) {
                    found.push(...(await page.evaluate(look)));
                }
                const { links, anchors } = await page.evaluate(looks.linksAndAnchors);
                linksOf.set(path, links);
                anchorsOf.set(path, new Set(anchors));
                if (isForReading) {
                    await page.evaluate(() => document.fonts.ready);
                    found.push(...(await page.evaluate(looks.overflow)), ...(await accessibility(page)));
                    const dark = await inTheDark(page);
                    const small = await onAPhone(page, path);
                    found.push(...dark.map((what) => `in the dark: ${what}`), ...small.map((what) => `on a phone: ${what}`));
                }
                found.push(...(await steps(page)));
            });
            assert.deepEqual(problems, []);
        });
    }
});

test("every link and anchor within the book resolves", () => {
    const dead = [];
    for (const [path, links] of linksOf) {
        for (const link of links.filter((link) => link.startsWith(root()))) {
            const [target, fragment] = link.slice(root().length).split("#").map(decodeURIComponent);
            const file = target === "" || target.endsWith("/") ? `${target}index.html` : target;
            const exists = statSync(`${FOLDER}/${file}`, { throwIfNoEntry: false })?.isFile();
            const anchors = anchorsOf.get(file);
            const place = fragment?.startsWith("lab=") ? fragment.split("&")[0] : fragment; // the state of a lab follows its kernel
            if (!exists || (fragment && anchors && !anchors.has(place))) {
                dead.push(`${path} -> ${target}${fragment ? `#${fragment}` : ""}`);
            }
        }
    }
    assert.deepEqual(dead, []);
    assert.ok(linksOf.size === ALL.length, "all pages were read");
});

test("scripts of our own are small", () => {
    const files = filesOf(`${FOLDER}/book/theme`, ".js");
    const bytes = files.map((file) => statSync(`${FOLDER}/book/theme/${file}`).size);
    assert.ok(bytes.length > 0);
    const sum = bytes.reduce((a, b) => a + b, 0);
    assert.ok(sum < LARGEST_SCRIPT, `${sum} bytes`);
});
