// Words of the glossary, questions and notes: by mouse, keyboard and touch, without JavaScript, and on
// paper. See visit.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE, visit } from "./visit.mjs";

const CHAPTER = "chapter_1_reduce/shared_memory.html";
const word = (page) => page.locator("main a.term").first();
const shown = (page) => page.locator(".definition:not([hidden])");

function reading(name, options, look) {
    test(name, async () => assert.deepEqual(await visit(CHAPTER, options, look), []));
}

/** The one explanation that is shown, which must lie within the window. */
async function explanation(page) {
    assert.equal(await shown(page).count(), 1);
    const { x, width } = await shown(page).boundingBox();
    const window = page.viewportSize().width;
    assert.ok(x >= 0 && x + width <= window, `${x} to ${x + width} of ${window}`);
    return shown(page).textContent();
}

reading("a word is explained to the keyboard, until Escape", {}, async (page) => {
    await word(page).focus();
    const text = await explanation(page);
    assert.equal(text, await word(page).getAttribute("data-definition"));
    assert.equal(await shown(page).getAttribute("id"), await word(page).getAttribute("aria-describedby"));
    await page.keyboard.press("Escape");
    assert.equal(await shown(page).count(), 0);
});

reading("a word is explained to the mouse, which may go to the explanation", {}, async (page) => {
    await word(page).hover();
    await explanation(page);
    const box = await shown(page).boundingBox();
    await page.mouse.move(box.x + 10, box.y + 5);
    assert.equal(await shown(page).count(), 1);
    await page.mouse.move(2, 2);
    assert.equal(await shown(page).count(), 0);
});

const touch = { viewport: PHONE, hasTouch: true, isMobile: true };
reading("the first tap explains, the second leads to the glossary", touch, async (page) => {
    const words = page.locator("main a.term");
    const middle = words.nth(Math.floor((await words.count()) / 2));
    await middle.tap();
    await explanation(page);
    assert.ok(page.url().endsWith(CHAPTER));
    await middle.tap();
    await page.waitForURL(/glossary\.html#/);
});

reading("without JavaScript a word leads to its entry", { javaScriptEnabled: false }, async (page) => {
    await word(page).click();
    await page.waitForURL(/glossary\.html#/);
    const entry = new URL(page.url()).hash;
    assert.ok(await page.locator(`dt${entry}`).isVisible());
});

reading("an answer unfolds by keyboard", {}, async (page) => {
    const answer = page.locator("details.answer").first();
    assert.equal(await answer.evaluate((details) => details.open), false);
    await answer.locator("summary").focus();
    await page.keyboard.press("Enter");
    assert.equal(await answer.evaluate((details) => details.open), true);
});

reading("answers and notes are on paper", { javaScriptEnabled: false }, async (page) => {
    await page.emulateMedia({ media: "print" });
    const hidden = await page.locator("details > p, details.teachers > p").filter({ visible: false }).count();
    assert.equal(hidden, 0);
});
