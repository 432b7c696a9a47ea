// The first page: what a reader meets who knows nothing of the book, and what is shown with a link to a page. See visit.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { DESKTOP, PHONE, THEMES, root, visit } from "./visit.mjs";

const FIRST = "index.html";
const WITHIN = "chapter_1_reduce/shared_memory.html";
const LARGEST = 200_000; // bytes over the network before anything is pressed, compressed, fonts aside

function reading(name, path, options, look) {
    test(name, async () => assert.deepEqual(await visit(path, options, look), []));
}

/** Where an element ends, in pixels from the top of the page. */
const bottom = (place) => place.evaluate((element) => element.getBoundingClientRect().bottom + window.scrollY);

reading("the first screen has a sentence, ways in, a lab and three recorded numbers", FIRST, {}, async (page) => {
    const numbers = page.locator(".numbers li strong");
    assert.equal(await numbers.count(), 3);
    for (const number of await numbers.allInnerTexts()) {
        assert.match(number, /^[\d,]+\sGB\/s$/);
    }
    const strike = page.getByRole("button", { name: "Strike out __syncthreads() and run it" });
    for (const place of [page.locator(".tagline"), page.locator(".doors a").last(), strike, numbers.last()]) {
        assert.ok((await bottom(place)) <= DESKTOP.height, `${place} is on the first screen`);
    }
    assert.ok(await page.locator("figure.drawn.tree").first().isVisible());
    const bytes = await page.evaluate(looks.weight);
    assert.ok(bytes < LARGEST, `${bytes} bytes over the network`);
    const ways = await page.locator(".doors a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.deepEqual(ways.slice(0, 2), ["tour.html", "chapter_1_reduce/index.html"]);
    assert.equal(ways.length, 3);
});

reading("on a phone, too, a kernel can be run without scrolling far", FIRST, { viewport: PHONE }, async (page) => {
    assert.ok((await bottom(page.locator(".doors a").last())) <= PHONE.height);
    assert.ok((await bottom(page.locator(".run-it button.main"))) <= 1.5 * PHONE.height);
});

reading("one press strikes the barrier out, and the race is lit", FIRST, {}, async (page) => {
    const strike = page.getByRole("button", { name: "Strike out __syncthreads() and run it" });
    const lab = page.locator(".lab");
    const isRacing = async () => {
        await strike.click();
        await page.locator(".run-it button.main:enabled").waitFor();
        await lab.locator(".verdict.bad").waitFor();
        const removed = lab.locator(".source li.removed");
        assert.equal(await removed.count(), 1);
        assert.match(await removed.innerText(), /__syncthreads\(\);/);
        const lit = await lab.locator(".source li.race").allInnerTexts();
        assert.ok(lit.some((line) => line.includes("shared[tid] += shared[tid + stride]")), lit.join());
        // The barrier of the loop, not the one before it.
        const lines = await lab.locator(".source li").allInnerTexts();
        const struck = await lab.locator(".source li").evaluateAll((all) => all.findIndex((line) => line.classList.contains("removed")));
        assert.ok(struck > lines.findIndex((line) => line.includes("for (")));
    };
    await isRacing();
    await isRacing(); // It is not put back.
});

reading("the kernel can be run as it is", FIRST, {}, async (page) => {
    await page.getByRole("button", { name: "Run sequential" }).click();
    await page.locator(".lab .verdict.good").waitFor();
    assert.equal(await page.locator(".lab .source li.removed").count(), 0);
});

for (const theme of THEMES) {
    reading(`the first page is for everyone: ${theme}`, FIRST, { theme, viewport: PHONE }, async (page, problems) => {
        problems.push(...(await accessibility(page)), ...(await page.evaluate(looks.overflow)), ...(await page.evaluate(looks.alternatives)));
    });
}

reading("a link to a page shows its title, what the book is, and a picture", WITHIN, {}, async (page) => {
    const properties = () => page.locator("meta[property^='og:'], meta[name^='twitter:']").evaluateAll((all) =>
        Object.fromEntries(all.map((meta) => [meta.getAttribute("property") ?? meta.name, meta.content])));
    const within = await properties();
    assert.equal(within["og:title"], "The ladder: shared memory – 1 Reduce - Warp by Warp");
    assert.equal(within["og:type"], "article");
    assert.equal(within["twitter:card"], "summary_large_image");
    assert.ok(within["og:description"].length > 40 && within["og:image:alt"].length > 40);
    const picture = await page.request.get(new URL(within["og:image"], page.url()).href);
    assert.ok(picture.ok());
    assert.equal(picture.headers()["content-type"], "image/png");
    await page.goto(root() + FIRST);
    assert.equal((await properties())["og:type"], "book");
});

reading("title, way and neighbors are there without JavaScript", WITHIN, { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.title(), "The ladder: shared memory – 1 Reduce - Warp by Warp");
    assert.match(await page.locator("main .breadcrumb").innerText(), /^1 Reduce › 2 of \d+$/);
    assert.match(await page.locator(".nav-chapters.next").getAttribute("aria-label"), /^Next: The ladder: /);
});

reading("a page has one way, with its script, too", WITHIN, {}, async (page) => {
    assert.equal(await page.locator("main .breadcrumb").count(), 1);
    assert.equal(await page.locator("a.nav-chapters.next .name").count(), 1);
});

for (const [where, kind, viewport] of [["beside the text", "nav-chapters", { width: 1600, height: 900 }], ["below it, on a phone", "mobile-nav-chapters", PHONE]]) {
    reading(`the pages before and after are named ${where}`, WITHIN, { viewport }, async (page) => {
        const boxes = [];
        for (const [turn, name] of [["previous", /^1 Reduce$/], ["next", /^The ladder: /]]) {
            const shown = page.locator(`a.${kind}.${turn} .name`);
            assert.match(await shown.innerText(), name);
            boxes.push(await shown.boundingBox());
        }
        const text = await page.locator("main").boundingBox();
        const [before, after] = boxes;
        assert.ok(before.x >= 0 && after.x + after.width <= viewport.width, "they are in the window");
        assert.ok(before.x + before.width <= after.x, "they do not overlap");
        if (kind === "nav-chapters") {
            assert.ok(before.x + before.width <= text.x && after.x >= text.x + text.width, "they leave the text free");
        }
    });
}
