// Every page of the built book in a real browser. `npm test` runs this; see visit.mjs.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, test } from "node:test";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { filesOf } from "./site.mjs";
import { DESKTOP, FOLDER, PAGES, PHONE, root, visit } from "./visit.mjs";

// Each page as it is loaded, in colours for the dark, and on a phone, where it is loaded anew because its menus differ.
const LIGHT = ["light", DESKTOP];
const LOOKS = [LIGHT, ["navy", DESKTOP], ["navy", PHONE]];
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

describe("every page", { concurrency: 2 }, () => {
    for (const path of [...PAGES, "print.html"]) {
        test(path, async () => {
            const problems = await visit(path, {}, async (page, found) => {
                const isForReading = path !== "print.html";
                if (isForReading) {
                    found.push(...(await cost(page)));
                }
                for (const look of [looks.unrendered, looks.formulas, looks.alternatives]) {
                    found.push(...(await page.evaluate(look)));
                }
                const { links, anchors } = await page.evaluate(looks.linksAndAnchors);
                linksOf.set(path, links);
                anchorsOf.set(path, new Set(anchors));
                for (const look of isForReading ? LOOKS : []) {
                    const [theme, size] = look;
                    if (look !== LIGHT) {
                        await page.evaluate((name) => localStorage.setItem("mdbook-theme", name), theme);
                        await page.setViewportSize(size);
                        await page.reload();
                    }
                    await page.evaluate(() => document.fonts.ready);
                    const problems = await page.evaluate(looks.overflow);
                    // Colours are all that differs in the dark; the menus of a phone are the same on every page.
                    const isWhole = look === LIGHT || (size === PHONE && path.endsWith("index.html"));
                    if (isWhole) {
                        problems.push(...(await accessibility(page)));
                    } else if (size !== PHONE) {
                        problems.push(...(await accessibility(page, ["color-contrast"])));
                    }
                    found.push(...problems.map((what) => `${theme}, ${size.width} px: ${what}`));
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
            if (!exists || (fragment && anchors && !anchors.has(fragment))) {
                dead.push(`${path} -> ${target}${fragment ? `#${fragment}` : ""}`);
            }
        }
    }
    assert.deepEqual(dead, []);
    assert.ok(linksOf.size === PAGES.length + 1, "all pages were read");
});

test("scripts of our own are small", () => {
    const files = filesOf(`${FOLDER}/book/theme`, ".js");
    const bytes = files.map((file) => statSync(`${FOLDER}/book/theme/${file}`).size);
    assert.ok(bytes.length > 0);
    const sum = bytes.reduce((a, b) => a + b, 0);
    assert.ok(sum < LARGEST_SCRIPT, `${sum} bytes`);
});
