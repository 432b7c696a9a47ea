// The book on paper: single pages, and all of them. See visit.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FOLDER, root, smallRoot, visit } from "./visit.mjs";

const WITH_CODE = "chapter_1_reduce/shared_memory.html";

function reading(name, path, options, look) {
    test(name, async () => assert.deepEqual(await visit(path, options, look), []));
}

/** How many pages a PDF has. */
const count = (pdf) => pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;

reading("the cheat sheet is one page", "cheat_sheet.html", {}, async (page) => {
    assert.equal(count(await page.pdf({ preferCSSPageSize: true })), 1);
});

reading("listings and tables go on on the next page", WITH_CODE, {}, async (page) => {
    await page.emulateMedia({ media: "print" });
    const whole = await page.evaluate(() => {
        const style = (element) => getComputedStyle(element);
        const scrolls = [...document.querySelectorAll("main .table-wrapper, main pre > code, main figure")].filter((e) => style(e).overflow !== "visible");
        const uncut = [...document.querySelectorAll("main pre, main pre > code")].filter((e) => style(e).breakInside !== "auto");
        return [...scrolls, ...uncut].map((element) => element.outerHTML.slice(0, 80));
    });
    assert.deepEqual(whole, []);
});

test("no page asks for a prediction on paper, and none has an empty one", async () => {
    const asked = (page) =>
        page.evaluate(() => {
            const shown = (element) => element.getClientRects().length > 0;
            const all = [...document.querySelectorAll(".predict, .yours, .predictions .own")];
            return all.filter(shown).map((element) => element.outerHTML.slice(0, 80));
        });
    const options = { isAsked: true };
    const problems = await visit(`${smallRoot()}print.html`, options, async (page) => {
        await page.emulateMedia({ media: "print" });
        assert.deepEqual(await asked(page), []);
        await page.goto(`${smallRoot()}chapter_1_reduce/whole_picture.html`);
        await page.emulateMedia({ media: "print" });
        assert.deepEqual(await asked(page), []);
        await page.goto(`${smallRoot()}chapter_1_reduce/one.html`);
        await page.emulateMedia({ media: "print" });
        assert.deepEqual(await asked(page), []);
        // A number that was typed is printed.
        await page.emulateMedia({ media: "screen" });
        await page.goto(`${smallRoot()}chapter_1_reduce/one.html`);
        await page.getByRole("spinbutton").first().fill("31");
        await page.getByRole("button", { name: "Show" }).first().click();
        await page.goto(`${smallRoot()}chapter_1_reduce/whole_picture.html`);
        await page.emulateMedia({ media: "print" });
        assert.equal(await page.locator(".predictions td.own[data-key]").first().innerText(), "31\u00a0% of peak");
    });
    assert.deepEqual(problems, []);
});

reading("where the book lies beside the pages as a PDF, they lead to it", WITH_CODE, {}, async (page, problems) => {
    const link = page.getByRole("link", { name: "The whole book as a PDF" });
    assert.equal(await link.count(), 0);
    const html = readFileSync(`${FOLDER}/${WITH_CODE}`, "utf8");
    const mentioned = '<link rel="alternate" type="application/pdf" title="The whole book as a PDF" href="../b.pdf">';
    await page.route("**/*.html", (route) => route.fulfill({ contentType: "text/html", body: html.replace("</head>", `${mentioned}</head>`) }));
    await page.reload();
    assert.equal(await link.evaluate((link) => link.href), `${root()}b.pdf`);
    assert.ok(await link.isVisible());
    const [printer, pdf] = [await page.getByRole("link", { name: "Print this page" }).boundingBox(), await link.boundingBox()];
    assert.ok(pdf.x >= printer.x + printer.width - 1 && Math.abs(pdf.y - printer.y) < printer.height, "beside the printer");
    assert.deepEqual(problems, []);
});
