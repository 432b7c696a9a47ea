// What a reader does with the book: turns pages, searches, copies, changes the theme, takes a wrong
// way, prints, reads it from a disk or without JavaScript. See visit.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { FOLDER, PAGES, SAMPLE, THEMES, root, visit } from "./visit.mjs";

const CHAPTER = "chapter_1_reduce/index.html";
const WITH_CODE = "chapter_1_reduce/shared_memory.html";

/** A test that fails with what `look` finds on the page, and with whatever goes wrong there. */
function reading(name, path, options, look) {
    // The page that has all pages once more takes minutes.
    test(name, { skip: SAMPLE && path === "print.html" }, async () => assert.deepEqual(await visit(path, options, look), []));
}

async function search(page, words) {
    await page.keyboard.press("/");
    await page.keyboard.type(words);
    const results = page.locator("#mdbook-searchresults li a");
    await results.first().waitFor();
    return results;
}

reading("search finds, by keyboard, and marks what it found", CHAPTER, {}, async (page) => {
    const results = await search(page, "wavefront");
    assert.ok((await results.count()) >= 3);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/highlight=wavefront/);
    // The first may wait behind a question.
    await page.locator("mark:visible", { hasText: /wavefront/i }).first().waitFor();
});

reading("search says so where it finds nothing", CHAPTER, {}, async (page) => {
    await page.keyboard.press("s");
    await page.keyboard.type("xyzzyx");
    await page.getByText("No search results").waitFor();
});

for (const theme of THEMES) {
    reading(`what opens is for everyone: ${theme}`, CHAPTER, { theme }, async (page, problems) => {
        await search(page, "bank");
        problems.push(...(await accessibility(page)));
        await page.keyboard.press("Escape");
        await page.keyboard.press("?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
        problems.push(...(await accessibility(page)));
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Change theme" }).click();
        problems.push(...(await accessibility(page)));
    });
}

reading("arrow keys and links turn pages", CHAPTER, {}, async (page) => {
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(root() + WITH_CODE);
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL(root() + CHAPTER);
    await page.getByRole("link", { name: "Next: The ladder: shared memory" }).first().click();
    await page.waitForURL(root() + WITH_CODE);
    await page.getByRole("link", { name: "Previous: 1 Reduce" }).first().click();
    await page.waitForURL(root() + CHAPTER);
    await page.keyboard.press("?");
    await page.getByText("Keyboard shortcuts").waitFor();
});

reading("the first stop of the Tab key leads to the text", WITH_CODE, { isAsked: true }, async (page) => {
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the text" });
    assert.ok(await skip.evaluate((link) => link === document.activeElement && link.getBoundingClientRect().top >= 0));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement.closest("main") !== null));
    assert.equal(page.url(), root() + WITH_CODE);
});

reading("a page says where it is, and the sidebar shows its chapter only", WITH_CODE, {}, async (page) => {
    assert.match(await page.locator("main .breadcrumb").innerText(), /^1 Reduce › 2 of \d+$/);
    assert.equal(await page.title(), "The ladder: shared memory – 1 Reduce - Warp by Warp");
    const shown = (chapter) => page.locator(`#mdbook-sidebar a[href*="${chapter}/exercises"]`).isVisible();
    assert.deepEqual(await Promise.all(["chapter_1_reduce", "chapter_2_histogram"].map(shown)), [true, false]);
});

reading("no two pages have the same title", CHAPTER, {}, async (page) => {
    const pageOf = new Map();
    for (const path of PAGES.filter((path) => path !== "index.html")) {
        await page.goto(root() + path);
        const title = await page.title();
        assert.equal(pageOf.get(title), undefined, `${path} is called "${title}" as well`);
        pageOf.set(title, path);
    }
});

reading("the printer prints this page", WITH_CODE, {}, async (page) => {
    await page.evaluate(() => (window.print = () => (window.printed = true)));
    await page.getByRole("link", { name: "Print this page" }).click();
    assert.ok(await page.evaluate(() => window.printed));
    assert.equal(page.url(), root() + WITH_CODE);
});

reading("nothing that an address leads to opens under the menu bar", WITH_CODE, {}, async (page) => {
    const hidden = await page.evaluate(() => {
        const bar = document.getElementById("mdbook-menu-bar").offsetHeight;
        const places = [...document.querySelectorAll("main [id]")].filter((e) => !(e instanceof SVGElement));
        return places.filter((e) => parseFloat(getComputedStyle(e).scrollMarginTop) < bar).map((e) => e.id);
    });
    assert.deepEqual(hidden, []);
});

reading("arrow keys scroll what scrolls, and do not turn the page there", WITH_CODE, { viewport: { width: 360, height: 740 } }, async (page) => {
    const scroller = page.locator("pre > code[tabindex]").first();
    await scroller.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((element) => element.scrollLeft > 0, await scroller.elementHandle());
    assert.equal(page.url(), root() + WITH_CODE);
});

reading("the sidebar folds and unfolds by keyboard", CHAPTER, {}, async (page) => {
    const toggle = page.getByRole("button", { name: "Toggle Table of Contents" });
    const contents = page.locator("#mdbook-sidebar");
    assert.equal(await toggle.getAttribute("aria-expanded"), "true");
    await toggle.focus();
    await page.keyboard.press("Enter");
    await contents.waitFor({ state: "hidden" });
    assert.equal(await toggle.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("Space");
    await contents.waitFor({ state: "visible" });
});

const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };
reading("a button copies a listing", WITH_CODE, clipboard, async (page) => {
    const listing = page.locator(".listing pre").first();
    await listing.hover();
    await listing.locator(".clip-button").click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const shown = await listing.locator("code").innerText();
    assert.equal(copied.trim(), shown.trim());
    assert.ok(shown.includes("__"), "a listing of a kernel");
});

for (const [scheme, theme] of [["light", "light"], ["dark", "navy"]]) {
    reading(`without a choice the theme follows the system: ${scheme}`, CHAPTER, { colorScheme: scheme }, async (page) => {
        assert.match(await page.locator("html").getAttribute("class"), new RegExp(`\\b${theme}\\b`));
    });
}

reading("a theme that is chosen stays, and another book's theme does not", CHAPTER, {}, async (page) => {
    const chosen = () => page.locator("html").getAttribute("class");
    await page.getByRole("button", { name: "Change theme" }).click();
    const offered = page.locator("#mdbook-theme-list button:visible");
    assert.deepEqual(await offered.allInnerTexts(), ["Auto", "Light", "Dark"]);
    await page.getByRole("menuitem", { name: "Dark" }).click();
    await page.goto(root() + WITH_CODE);
    assert.match(await chosen(), /\bnavy\b/);
    await page.evaluate(() => localStorage.setItem("mdbook-theme", "ayu"));
    await page.reload();
    assert.match(await chosen(), /\blight\b/);
});

for (const theme of THEMES) {
    reading(`a wrong address, deep within: ${theme}`, "no/such/page.html", { theme }, async (page, problems) => {
        // That it is not found is right; anything else is not.
        assert.deepEqual(problems.splice(0).map((problem) => problem.slice(0, 4)).sort(), ["404:", "cons"]);
        await page.getByRole("heading", { name: "There is no such page" }).waitFor();
        assert.equal(await page.locator(".sidebar a").first().evaluate((a) => a.href), `${root()}introduction.html`);
        await page.locator("main a").first().click();
        await page.waitForURL(`${root()}**`);
        assert.equal(await page.locator("h1", { hasText: "There is no such page" }).count(), 0);
    });
}

reading("the book works from a disk", pathToFileURL(`${FOLDER}/${CHAPTER}`).href, {}, async (page, problems) => {
    problems.push(...(await page.evaluate(looks.formulas)));
    const results = await search(page, "wavefront");
    await results.first().click();
    await page.waitForURL(/^file:.*highlight=wavefront/);
});

reading("all steps of all figures are there without JavaScript", CHAPTER, { javaScriptEnabled: false }, async (page) => {
    const parts = page.locator("figure.drawn svg");
    assert.ok((await parts.count()) >= 2);
    for (const part of await parts.all()) {
        assert.ok(await part.isVisible());
    }
    assert.equal(await page.locator(".controls").count(), 0);
    await page.frameLocator("iframe").getByRole("link", { name: "Glossary" }).waitFor();
});

reading("print is dark on light, with every step and no controls", "print.html", { theme: "navy" }, async (page, problems) => {
    await page.evaluate(() => addEventListener("beforeprint", () => (window.printed = document.documentElement.className)));
    await page.pdf();
    assert.match(await page.evaluate(() => window.printed), /\blight\b/);
    await page.waitForFunction(() => document.documentElement.classList.contains("navy"));
    await page.emulateMedia({ media: "print" });
    await page.waitForFunction(() => document.documentElement.classList.contains("light"));
    const seen = await page.evaluate(() => {
        const shown = (element) => element.getClientRects().length > 0;
        const lightness = (colour) => {
            const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
            return (0.21 * red + 0.72 * green + 0.07 * blue) / 255;
        };
        const drawings = [...document.querySelectorAll("figure.drawn svg")];
        return {
            drawings: drawings.length,
            hidden: drawings.filter((drawing) => !shown(drawing)).length,
            faint: [...document.querySelectorAll(".later")].filter((e) => getComputedStyle(e).opacity !== "1").length,
            controls: [...document.querySelectorAll(".controls, .now, #mdbook-sidebar, #mdbook-menu-bar, .buttons")].filter(shown).length,
            light: [...document.querySelectorAll("main p, main li, main th, main td, main figcaption, main svg text, pre code, pre code span")]
                .filter((e) => shown(e) && lightness(e.tagName === "text" ? getComputedStyle(e).fill : getComputedStyle(e).color) > 0.6).length,
            dark: [...document.querySelectorAll("html, body, main, main pre, main code, main tr")].filter((e) => {
                const colour = getComputedStyle(e).backgroundColor;
                return !/, 0\)$/.test(colour) && lightness(colour) < 0.8;
            }).length,
        };
    });
    assert.ok(seen.drawings > 10);
    const { drawings, ...wrong } = seen;
    problems.push(...Object.entries(wrong).filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`));
});
