// Questions that wait for the reader's number, on the pages in `small/`: typed, skipped, kept, listed, linked to,
// printed, read from a disk, without a store and without JavaScript. See visit.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { PHONE, SMALL, THEMES, smallRoot, visit } from "./visit.mjs";

const ONE = "chapter_1_reduce/one.html";
const LIST = "chapter_1_reduce/whole_picture.html";

/** A test that opens the page with the questions, and fails with whatever is wrong there. */
function asking(name, options, look) {
    test(name, async () => assert.deepEqual(await visit(smallRoot() + ONE, { isAsked: true, ...options }, look), []));
}

const asked = (page, index) => page.locator(".asked").nth(index);
const field = (page) => asked(page, 0).getByRole("spinbutton", { name: /What part of the peak will sequential reach/ });
const answer = (page) => asked(page, 0).getByText("Measured:");
const behind = (page) => page.getByText("What follows the first waits for it.");
const focusIsInAnswer = (page) => page.evaluate(() => document.activeElement.matches(".asked:first-of-type .unfolded"));
const listed = (page) => page.locator(".predictions td.own[data-key]").allInnerTexts();

/** Types a number, and looks at it again after a reload and on the page that lists all. */
async function predict(page) {
    assert.equal(await answer(page).isVisible(), false);
    assert.equal(await behind(page).isVisible(), false);
    await field(page).fill("31");
    await asked(page, 0).getByRole("button", { name: "Show" }).click();
    assert.ok(await answer(page).isVisible());
    assert.ok(await behind(page).isVisible());
    assert.ok(await focusIsInAnswer(page));
    await page.reload();
    assert.ok(await answer(page).isVisible());
    assert.equal(await field(page).count(), 0, "the form is away");
    assert.match(await asked(page, 0).locator(".yours").innerText(), /31\s% of peak, missed by 4\d %\. Change$/);
    assert.equal(await asked(page, 1).getByText("The second answer").isVisible(), false);
    await page.goto(new URL("whole_picture.html", page.url()).href);
    assert.deepEqual(await listed(page), ["31\u00a0% of peak", "–", "–"]);
    assert.match(await page.locator(".predictions .score").first().innerText(), /^missed by 4\d %$/);
    assert.equal(await page.locator(".scores").innerText(), "Your predicted number did not hold.");
    const measured = await page.locator(".predictions td:last-child").allInnerTexts();
    assert.match(measured[0], /^[\d.]+\s% of peak$/);
    assert.deepEqual(measured.slice(1), ["after your answer", "after your answer"], "the list gives no other answer away");
}

asking("predicted numbers are dots on a logarithmic axis over the measured ones", { viewport: PHONE }, async (page) => {
    const plot = async () => {
        await page.goto(`${smallRoot()}chapter_1_reduce/all.html`);
        return page.locator(".dots circle").evaluateAll((dots) => dots.map((dot) => ({ x: Number(dot.getAttribute("cx")), isHeld: dot.classList.contains("held"), title: dot.textContent })));
    };
    assert.deepEqual(await plot(), []);
    await page.goto(smallRoot() + ONE);
    await field(page).fill("1700");
    await asked(page, 0).getByRole("button", { name: "Show" }).click();
    const measured = Number(await asked(page, 1).getAttribute("data-value"));
    await asked(page, 1).getByRole("spinbutton").fill(String(measured));
    await asked(page, 1).getByRole("button", { name: "Show" }).click();
    const [held, missed] = await plot();
    const one = Number(await page.locator(".dots line.one").getAttribute("x1"));
    assert.ok(held.isHeld && Math.abs(held.x - one) < 0.1);
    assert.ok(!missed.isHeld && missed.x > one + 50, "too high is to the right");
    const svg = await page.locator(".dots svg").boundingBox();
    const main = await page.locator("main").boundingBox();
    assert.ok(svg.x + svg.width <= main.x + main.width + 1, "it fits");
    assert.match(missed.title, /1700.*times too high$/);
    assert.match(await page.locator(".dots figcaption").innerText(), /^Your 2 predicted numbers/);
});

asking("the list of all questions gives no answer away", {}, async (page) => {
    const all = async () => {
        await page.goto(`${smallRoot()}chapter_1_reduce/all.html`);
        return page.locator(".predictions td:last-child").allInnerTexts();
    };
    assert.deepEqual(await all(), ["after your answer", "after your answer", "after your answer"]);
    await page.goto(smallRoot() + ONE);
    await field(page).fill("31");
    await asked(page, 0).getByRole("button", { name: "Show" }).click();
    await asked(page, 1).getByRole("button", { name: "Skip" }).click();
    const [first, second, third] = await all();
    assert.match(first, /^[\d.]+\s% of peak$/);
    assert.match(second, /^[\d.]+×/);
    assert.equal(third, "after your answer");
});

asking("a prediction is asked for, kept and listed", {}, async (page) => {
    await predict(page);
    await page.getByRole("link", { name: "How many times" }).click();
    await page.waitForURL(/#ask-first_add-gain$/);
    assert.ok(await asked(page, 1).getByRole("spinbutton").isVisible(), "the question still waits");
});

test("a prediction is kept where the book is read from a disk", async () => {
    assert.deepEqual(await visit(pathToFileURL(`${SMALL}/${ONE}`).href, { isAsked: true }, predict), []);
});

asking("a prediction by keyboard: arrows stay in the field, Enter shows, Change asks again", {}, async (page) => {
    await field(page).focus();
    await page.keyboard.press("Enter");
    assert.equal(await answer(page).isVisible(), false, "nothing was typed");
    await page.keyboard.type("30");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowRight");
    assert.equal(page.url(), smallRoot() + ONE);
    await page.keyboard.press("Enter");
    assert.ok(await focusIsInAnswer(page));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await field(page).fill("-2.5");
    await page.keyboard.press("Enter");
    assert.match(await asked(page, 0).locator(".yours").innerText(), /−2\.5\s% of peak/);
    // A text has no unit.
    await asked(page, 2).getByRole("textbox", { name: "Are there conflicts?" }).fill("no, s");
    await page.keyboard.press("Enter");
    assert.match(await asked(page, 2).locator(".yours").innerText(), /^Your prediction, no, s, is kept\. Change$/);
});

asking("a reader's number is judged as the book's own", {}, async (page) => {
    const cases = readFileSync("../../chapters-code/tools/book/tests/verdicts.tsv", "utf8").trim().split("\n").slice(1);
    assert.ok(cases.length > 20);
    for (const line of cases) {
        const [kind, predicted, value, words] = line.split("\t");
        const judge = (given) => window.verdictOn(given.kind, Number(given.predicted), Number(given.value));
        assert.equal(await page.evaluate(judge, { kind, predicted, value }), words, line);
    }
});

asking("a question may be skipped", {}, async (page) => {
    await asked(page, 0).getByRole("button", { name: "Skip" }).click();
    assert.ok(await answer(page).isVisible());
    assert.ok(await focusIsInAnswer(page));
    assert.equal(await asked(page, 0).locator(".yours").isVisible(), false);
    await page.reload();
    assert.ok(await answer(page).isVisible(), "it is not asked again");
    assert.ok(await behind(page).isVisible());
    await page.goto(smallRoot() + LIST);
    assert.deepEqual(await listed(page), ["–", "–", "–"]);
});

asking("without a store a prediction lasts as long as the page", {}, async (page) => {
    await page.addInitScript(() => {
        Object.defineProperty(window, "localStorage", {
            get() {
                throw new DOMException("forbidden", "SecurityError");
            },
        });
    });
    await page.reload();
    await field(page).fill("31");
    await asked(page, 0).getByRole("button", { name: "Show" }).click();
    assert.match(await asked(page, 0).locator(".yours").innerText(), /31\s% of peak/);
    await page.reload();
    assert.ok(await field(page).isVisible());
});

asking("what a full store refuses replaces an older prediction as long as the page is there", {}, async (page) => {
    await field(page).fill("31");
    await asked(page, 0).getByRole("button", { name: "Show" }).click();
    await page.evaluate(() => (Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }));
    await asked(page, 0).getByRole("button", { name: "Change" }).click();
    await field(page).fill("40");
    await asked(page, 0).getByRole("button", { name: "Show" }).click();
    assert.match(await asked(page, 0).locator(".yours").innerText(), /40\s% of peak/);
});

asking("a link that was cut leaves the page as it is", {}, async (page) => {
    await page.goto(`${smallRoot()}${ONE}#%E0%A4%A`);
    await page.reload();
    await page.evaluate(() => (location.hash = "#inside"));
    await answer(page).waitFor({ state: "visible" });
});

asking("a link into what is folded opens it", {}, async (page) => {
    await page.goto(smallRoot() + LIST);
    await page.getByRole("link", { name: "Into the first answer" }).click();
    await page.waitForURL(/one\.html#inside$/);
    assert.ok(await answer(page).isVisible());
    await page.waitForFunction(() => {
        const { top } = document.getElementById("inside").getBoundingClientRect();
        return top >= 0 && top < innerHeight;
    });
    // Also within the page, and again after it was folded.
    await asked(page, 0).locator("summary").first().click();
    assert.equal(await answer(page).isVisible(), false);
    await page.evaluate(() => {
        const link = document.createElement("a");
        link.href = "#inside";
        link.textContent = "once more";
        document.querySelector("main").append(link);
    });
    await page.getByRole("link", { name: "once more" }).click();
    await answer(page).waitFor({ state: "visible" });
});

asking("without JavaScript a question is a fold-out", { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator(".asked form").count(), 0);
    assert.equal(await answer(page).isVisible(), false);
    assert.ok(await behind(page).isVisible(), "without a script nothing waits");
    await asked(page, 0).locator("summary").first().click();
    assert.ok(await answer(page).isVisible());
    await page.goto(smallRoot() + LIST);
    assert.deepEqual(await page.locator(".predictions th:visible").allInnerTexts(), ["question", "measured or counted"]);
});

asking("in print every question is open, and nothing is asked", {}, async (page) => {
    const shown = () =>
        page.evaluate(() => ({
            answers: [...document.querySelectorAll(".unfolded")].filter((e) => e.checkVisibility({ contentVisibilityAuto: true }) && e.getBoundingClientRect().height > 10).length,
            forms: [...document.querySelectorAll(".asked form")].filter((e) => e.getClientRects().length > 0).length,
        }));
    assert.deepEqual(await shown(), { answers: 0, forms: 3 });
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await shown(), { answers: 3, forms: 0 });
    assert.ok(await behind(page).isVisible());
    await page.emulateMedia({ media: "screen" });
    await page.pdf();
    assert.deepEqual(await shown(), { answers: 0, forms: 3 }, "afterwards it asks as before");
    await page.goto(`${smallRoot()}print.html`);
    assert.deepEqual(await shown(), { answers: 3, forms: 0 });
});

for (const theme of THEMES) {
    asking(`questions are for everyone: ${theme}`, { theme, viewport: PHONE }, async (page, problems) => {
        const look = async () => problems.push(...(await accessibility(page)), ...(await page.evaluate(looks.overflow)), ...(await page.evaluate(looks.alternatives)));
        await look();
        await field(page).fill("31");
        await asked(page, 0).getByRole("button", { name: "Show" }).click();
        await look();
        await page.goto(smallRoot() + LIST);
        await look();
    });
}
