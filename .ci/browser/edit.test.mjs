// The editor: `book serve --edit` for the small book, whose page has a kernel and the exercises of chapter 1. See visit.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { FOLDER, PHONE, SMALL, THEMES, smallRoot, visit } from "./visit.mjs";

const PAGE = "chapter_1_reduce/edit.html";
const CODE = resolve(import.meta.dirname, "../../chapters-code");
const SOURCE = readFileSync(`${CODE}/chapter_1_reduce/kernels/sequential.cu`, "utf8");
const LAST_BARRIER = "        }\n        __syncthreads();\n";
const EXERCISE = readFileSync(`${CODE}/tools/exercise/course/chapter_1/01_block_sum/solution.cu`, "utf8");

let server;
let root; // of the served book
let token;
before(async () => {
    const command = ["run", "--quiet", "--bin", "book", "--", "serve", "--edit", "--port", "0"];
    server = spawn("cargo", command, { cwd: resolve(SMALL, ".."), stdio: ["ignore", "pipe", "inherit"], detached: true });
    let said = "";
    for await (const part of server.stdout.iterator({ destroyOnReturn: false })) {
        said += part;
        const address = /serving (http:\S+?)#token=(\w+)/.exec(said);
        if (address) {
            [, root, token] = address;
            return;
        }
    }
    throw new Error(`the server has ended: ${said}`);
});
after(() => server && process.kill(-server.pid));

/** A test of the served page, opened with the token. It fails with what `look` finds, and with whatever goes wrong. */
function editing(name, options, look) {
    test(name, async () => {
        const problems = await visit(`${root}${PAGE}#token=${token}`, { ...options, own: [root] }, async (page, problems) => {
            assert.ok(!page.url().includes(token), "the token leaves the address");
            await look(page, problems);
        });
        assert.deepEqual(problems, []);
    });
}

/** Opens the lab of the kernel, and its editor. */
async function open(page) {
    await page.getByRole("button", { name: "Run it: sequential" }).click();
    const lab = page.locator(".lab", { hasText: "Lab: sequential" });
    await lab.locator(".verdict.good").waitFor();
    await lab.getByRole("button", { name: "Edit the kernel" }).click();
    await lab.locator(".cm-content").waitFor();
    return lab;
}

/** Opens an exercise. */
async function open_exercise(page, number) {
    await page.getByRole("button", { name: `Do it here: exercise ${number}` }).click();
    const exercise = page.locator(`section[aria-label="Exercise ${number}"]`);
    await exercise.locator(".cm-content").waitFor();
    return exercise;
}

/** Types a text in place of the one that is there. */
async function type(part, text) {
    await part.locator(".cm-content").click();
    await part.page().keyboard.press("Control+a");
    await part.page().keyboard.insertText(text);
}

/** The same, saves it, and returns what is said of it. */
async function save(part, text) {
    await type(part, text);
    await part.page().keyboard.press("Control+s");
    await part.locator(".edit button.main:enabled").waitFor();
    return said(part);
}

/** Has the page find a GPU, for which the simulator stands, or none. */
async function find_gpu(page, has_gpu) {
    await page.route("**/__edit", async (route) => {
        const question = route.request().postDataJSON();
        const asked = question.target ? { ...question, target: "simulator" } : question;
        const response = await route.fetch({ postData: JSON.stringify(asked) });
        const answer = await response.json();
        await route.fulfill({ response, json: question.question === "session" ? { ...answer, has_gpu } : answer });
    });
}

const said = (part) => part.locator(".edit .verdict").innerText();

editing("an error is shown at its line, and a struck barrier is a race at its line", {}, async (page) => {
    const lab = await open(page);
    assert.match(await save(lab, SOURCE.replace("shared[tid] +=", "shard[tid] +=")), /does not compile/);
    assert.equal(await lab.locator(".edit .lines").innerText(), 'line 23 identifier "shard" is undefined');
    assert.equal(await lab.locator(".cm-lint-marker-error").count(), 1);
    assert.match(await save(lab, SOURCE.replace(LAST_BARRIER, "        }\n")), /Your kernel has run\..* [1-9] races?\./);
    assert.equal(await lab.locator(".cm-line.lit-race").innerText(), "            shared[tid] += shared[tid + stride];");
    assert.equal(await lab.locator(".cm-lint-marker-error").count(), 0);
    assert.match(await lab.locator(".found").innerText(), /no __syncthreads\(\) lies between them/);
});

editing("a text stays, and the book's kernel comes back", {}, async (page) => {
    let lab = await open(page);
    await save(lab, SOURCE.replace("in[i] : 0.0f", "2.0f * in[i] : 0.0f"));
    assert.match(await said(lab), /The result is wrong in 1 element/);
    await page.reload();
    await page.getByRole("button", { name: "Run it: sequential" }).click();
    lab = page.locator(".lab.edited");
    await lab.locator(".edit .verdict.bad").waitFor();
    assert.match(await lab.locator(".cm-content").innerText(), /2\.0f \* in\[i\]/);
    await lab.getByRole("button", { name: "Back to the book's kernel" }).click();
    await page.locator(".lab:not(.edited) .edit .verdict.good").waitFor();
    assert.match(await said(page.locator(".lab")), /The kernel of the book has run\. The result is right\. No race\./);
});

editing("a kernel that does not fit, or does not end, is a message", {}, async (page) => {
    const lab = await open(page);
    assert.match(await save(lab, SOURCE.replace('extern "C"', "")), /no kernel sum_f32/);
    assert.match(await save(lab, SOURCE.replace("size_t n)", "size_t n, double more)")), /stopped|parameter/);
    assert.match(await save(lab, SOURCE.replace("stride > 0", "true")), /The launch was stopped/);
    assert.match(await save(lab, SOURCE.replace("in[i] : 0.0f", "in[i + 1000000] : 0.0f")), /out-of-bounds read/);
    assert.match(await lab.locator(".cm-line.lit-race").innerText(), /in\[i \+ 1000000\]/, "a fault is shown at its line");
    assert.match(await save(lab, `#include "/etc/passwd"\n${SOURCE}`), /does not compile/);
    assert.match(await lab.getByRole("group", { name: "In full" }).innerText(), /may not stand here/);
    assert.match(await save(lab, SOURCE), /The result is right/);
});

editing("an exercise is done wrongly and rightly", {}, async (page) => {
    const exercise = await open_exercise(page, "1.1");
    await exercise.getByRole("button", { name: "Check" }).click();
    await exercise.locator(".verdict.bad").waitFor();
    assert.match(await exercise.locator("pre").innerText(), /^wrong: the file is as it was at first/);
    assert.match(await save(exercise, EXERCISE.replace("__syncthreads();", "")), /^Wrong/);
    assert.match(await exercise.locator("pre").innerText(), /^wrong: .*\n(.*\n)*.*read again: book\//);
    const again = exercise.locator("pre a");
    assert.match(await again.innerText(), /^book\/chapter_1_reduce\/\w+\.md/);
    assert.match(await again.evaluate((link) => link.href), /^http:[^#]*\/chapter_1_reduce\/\w+\.html(#[\w-]+)?$/);
    assert.ok(!(await again.evaluate((link) => link.href)).includes("/book/"));
    assert.ok((await exercise.locator(".edit .lines li").count()) > 0, "the lines of the race");
    assert.match(await save(exercise, EXERCISE), /^Right/);
    assert.match(await exercise.locator("pre").innerText(), /^right on the simulated GPU: \d+ runs/);
});

editing("a GPU is offered where there is one, with a warning", {}, async (page) => {
    await find_gpu(page, true);
    const lab = await open(page);
    const row = lab.locator("p", { has: page.getByRole("button", { name: "Run on my GPU" }) });
    assert.match(await row.innerText(), /A kernel is not confined there/);
    await row.getByRole("button").click();
    await lab.locator(".edit .verdict.good").waitFor();
    assert.match(await said(lab), /^On SIMT simulator .*: The result is right\./);
    await type(lab, FAILS);
    assert.ok(await row.getByRole("button").isDisabled(), "it would run another text");
    await save(lab, FAILS);
    assert.ok(await row.getByRole("button").isDisabled());
    await save(lab, SOURCE.replace("in[i] : 0.0f", "2.0f * in[i] : 0.0f"));
    await row.getByRole("button").click();
    await lab.locator(".edit .verdict.bad", { hasText: "On SIMT simulator" }).waitFor();
    assert.match(await said(lab), /The result is wrong: element 0 is \d+ instead of \d+\./);
    const exercise = await open_exercise(page, "1.1");
    assert.equal(await exercise.getByLabel(/Run on my GPU too\. A kernel is not confined there/).isChecked(), false);
});

editing("without a GPU, none is offered", {}, async (page) => {
    await find_gpu(page, false);
    await open(page);
    await open_exercise(page, "1.1");
    assert.equal(await page.getByText("my GPU").locator("visible=true").count(), 0);
});

const COMPILES = SOURCE.replace("if (tid == 0)", "if (tid < 1)");
const FAILS = SOURCE.replace("shared[tid] +=", "shard[tid] +=");
const RESULT = ":scope > .verdict"; // of the lab

/** Whether the lab's results look like those of an older text: said above them, and no mark is coloured. */
async function isOlder(lab) {
    const marks = await lab.locator(`${RESULT} .mark`).evaluateAll((all) => all.map((mark) => getComputedStyle(mark).color === getComputedStyle(mark.closest(".verdict")).color));
    const isNoted = await lab.locator(".older-note").isVisible();
    assert.equal(marks.length, 3);
    assert.equal(isNoted, marks.every(Boolean));
    return isNoted;
}

editing("what is not compiled, what does not compile, and what is right or wrong, are told apart", {}, async (page) => {
    const lab = await open(page);
    const state = async () => [await said(lab), await isOlder(lab)];
    assert.equal(await lab.locator(".edit .verdict").isVisible(), false);
    assert.equal(await isOlder(lab), false);

    await type(lab, FAILS);
    assert.deepEqual(await state(), ["Not compiled yet. The lab shows the previous version.", true]);
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/__edit", async (route) => (await held, route.continue()), { times: 1 });
    await page.keyboard.press("Control+s");
    await lab.locator(".edit .working", { hasText: "Compiling …" }).waitFor();
    assert.ok(await isOlder(lab));
    release();
    await lab.locator(".edit .bad").waitFor();
    const failed = ["The kernel does not compile: line 23. Nothing of this text has run.", true];
    assert.deepEqual(await state(), failed);

    await type(lab, COMPILES);
    assert.match(await said(lab), /^Not compiled yet\./);
    assert.ok(await lab.getByText("Errors of the previous version:").isVisible(), "the errors");
    await type(lab, FAILS);
    assert.deepEqual(await state(), failed, "it is known of this text");

    assert.match(await save(lab, COMPILES), /^Your kernel has run\. The result is right\. No race\./);
    assert.equal(await isOlder(lab), false);
    assert.equal(await lab.locator(".edit .lines li").count(), 0);
    await type(lab, SOURCE);
    assert.match(await said(lab), /^Not compiled yet\./);
    assert.ok(await isOlder(lab));
    await type(lab, COMPILES);
    assert.match(await said(lab), /^Your kernel has run\. The result is right\./);
    assert.equal(await isOlder(lab), false);

    assert.match(await save(lab, SOURCE.replace("in[i] : 0.0f", "2.0f * in[i] : 0.0f")), /^Your kernel has run\. The result is wrong/);
    assert.equal(await isOlder(lab), false);
    const exercise = await open_exercise(page, "1.1");
    await save(exercise, EXERCISE);
    await type(exercise, EXERCISE.replace("__syncthreads();", ""));
    assert.equal(await said(exercise), "Not checked yet.");
    assert.ok(await exercise.getByText("Errors of the previous version:").isVisible());
});

/** Holds back the answer to the next question of this kind; what it gives lets it go. */
async function hold(page, question) {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    let isHeld = false;
    await page.route("**/__edit", async (route) => {
        if (!isHeld && route.request().postDataJSON().question === question) {
            isHeld = true;
            const response = await route.fetch();
            await held;
            await route.fulfill({ response });
        } else {
            await route.fallback();
        }
    });
    return release;
}

editing("of two saves the newer text wins, whichever is compiled first", {}, async (page) => {
    const lab = await open(page);
    const results = lab.locator(RESULT);
    const comes = () => page.waitForResponse((response) => response.request().postDataJSON()?.question === "compile");
    let release = await hold(page, "compile");
    await type(lab, TWICE);
    await page.keyboard.press("Control+s");
    await type(lab, COMPILES);
    await page.keyboard.press("Control+s");
    await lab.locator(".edit .good", { hasText: "Your kernel has run. The result is right." }).waitFor();
    let late = comes();
    release();
    await late;
    await lab.getByRole("button", { name: "Run", exact: true }).click();
    await lab.locator(`${RESULT}.good`).waitFor();
    assert.match(await said(lab), /^Your kernel has run\. The result is right\./);

    release = await hold(page, "compile");
    await type(lab, TWICE);
    await page.keyboard.press("Control+s");
    await lab.getByRole("button", { name: "Back to the book's kernel" }).click();
    await lab.locator(".edit .good", { hasText: "The kernel of the book has run." }).waitFor();
    late = comes();
    release();
    await late;
    await lab.getByRole("button", { name: "Run", exact: true }).click();
    await lab.locator(`${RESULT}.good`).waitFor();
    assert.match(await said(lab), /^The kernel of the book has run\. The result is right\./);
    assert.equal(await results.locator(".mark").first().innerText(), "✓");
});

editing("a run that has no result leaves no verdict in the editor", {}, async (page) => {
    const lab = await open(page);
    assert.match(await save(lab, COMPILES), /The result is right/);
    await lab.evaluate((lab) => {
        lab.querySelector("form").requestSubmit();
        [...lab.querySelectorAll("button")].find((button) => button.textContent === "Stop").click();
    });
    assert.equal(await said(lab), "Your kernel has no result. You stopped the run.");
    await lab.locator(".setup > summary").click();
    await lab.getByLabel("Schedule").fill("-4");
    await page.keyboard.press("Tab");
    await lab.locator(`${RESULT}`, { hasText: "This does not run: Schedule is -4." }).waitFor();
    assert.match(await said(lab), /^Your kernel has no result\. This does not run: Schedule is -4\./);
    assert.equal(await lab.locator(".edit .verdict.good").count(), 0);
    assert.equal(await lab.getByRole("button", { name: "Stop", exact: true }).isVisible(), false);
});

test("the editor can be tried again, closes without its server, and works where the browser stores nothing", async () => {
    const problems = await visit(root, { own: [root] }, async (page) => {
        await page.addInitScript(() => Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("forbidden", "SecurityError"); } }));
        await page.goto(`${root}${PAGE}#token=${token}`);
        await page.route("**/__codemirror.js", (route) => route.abort(), { times: 1 });
        await page.getByRole("button", { name: "Run it: sequential" }).click();
        const lab = page.locator(".lab", { hasText: "Lab: sequential" });
        await lab.locator(".verdict.good").waitFor();
        await lab.getByRole("button", { name: "Edit the kernel" }).click();
        await lab.getByText("cannot be loaded").waitFor();
        await lab.getByRole("button", { name: "Edit the kernel" }).click();
        await lab.locator(".cm-content").waitFor();
        assert.match(await save(lab, COMPILES), /^Your kernel has run\./);
        await page.route("**/__edit", (route) => route.abort());
        await lab.getByRole("button", { name: "Close the editor" }).click();
        await lab.locator(".source").waitFor();
    });
    assert.deepEqual(problems.filter((problem) => !problem.includes("ERR_FAILED")), []);
});

editing("how to strike out is said where it can be done", {}, async (page) => {
    const lab = await open(page);
    const hint = lab.locator(".left > .hint");
    assert.equal(await hint.isVisible(), false, "the editor has no such buttons");
    await lab.getByRole("button", { name: "Close the editor" }).click();
    assert.match(await hint.innerText(), /^Strike out what orders threads/);
    await lab.getByRole("button", { name: "Edit the kernel" }).click();
    await save(lab, SOURCE.replaceAll("__syncthreads();", ""));
    await lab.getByRole("button", { name: "Close the editor" }).click();
    await lab.locator(".source").waitFor();
    assert.equal(await lab.locator(".source li.removable").count(), 0);
    assert.equal(await hint.isVisible(), false, "nothing can be struck out of this kernel");
});

editing("what a kernel prints is shown, in the order of the schedule, and cut where it is long", {}, async (page) => {
    const lab = await open(page);
    const printed = lab.locator(":scope > .printed");
    const text = async () => (await printed.locator("pre").innerText()).trimEnd().split("\n");
    const printing = (statement) => SOURCE.replace("    __syncthreads();\n\n", `    ${statement}\n    __syncthreads();\n\n`);
    await save(lab, printing('if (tid % 32 == 0 && blockIdx.x == 0) printf("warp %u\\n", tid / 32);'));
    await printed.waitFor();
    const lines = await text();
    assert.ok(lines.length > 1, lines.join());
    const warps = new Set(lines).size;
    assert.deepEqual(lines, lines.map((_, index) => `warp ${index % warps}`)); // of each of the launches
    assert.equal(await printed.locator("summary").innerText(), `Printed by the kernel: ${lines.length} lines, in the order in which the simulator ran the threads`);
    await lab.locator(".setup > summary").click();
    const orders = new Set();
    for (const seed of ["3", "4", "5"]) {
        const answer = page.waitForResponse((response) => response.request().postData()?.includes('"question":"print"'));
        await lab.getByLabel("Schedule").fill(seed);
        await page.keyboard.press("Tab");
        await answer;
        await printed.waitFor();
        orders.add((await text()).join());
        assert.deepEqual((await text()).sort(), [...lines].sort());
    }
    assert.ok(orders.size > 1, "another schedule, another order");
    await lab.getByLabel("Schedule").fill("0");
    await page.keyboard.press("Tab");

    await save(lab, printing('for (int k = 0; k < 20; k++) printf("a line that is long enough, of thread %u\\n", tid);'));
    await printed.getByText(/^The kernel prints more\. The first 1[56],\d{3} characters are shown\.$/).waitFor();
    assert.match((await text()).at(-1), /^a line that is long enough, of thread \d+$/);
    assert.match(await said(lab), /^Your kernel has run/);
    await save(lab, SOURCE);
    assert.equal(await printed.isVisible(), false);
});

editing("the marks of the book's excerpts are not in view, and stay in the text", {}, async (page) => {
    const lab = await open(page);
    const text = () => page.evaluate(() => localStorage.getItem(Object.keys(localStorage).find((key) => key.startsWith("edit:"))));
    assert.doesNotMatch(await lab.locator(".cm-content").innerText(), /ANCHOR/);
    const heights = await lab.locator(".cm-content > *").evaluateAll((all) => all.map((line) => line.getBoundingClientRect().height));
    assert.ok(heights.every((height) => height === 0 || height > 10) && heights.includes(0), heights.join());
    const loop = lab.locator(".cm-line", { hasText: "for (unsigned stride" });
    await loop.click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Home");
    await page.keyboard.insertText("/* here */ ");
    assert.equal(await text(), SOURCE.replace("    for (unsigned stride", "/* here */     for (unsigned stride"));
    assert.match(await save(lab, FAILS), /line 23/, "lines are counted as in the file");
});

const LAB = "lab=chapter_1_reduce%2Fsequential";
const TWICE = SOURCE.replace("in[i] : 0.0f", "2.0f * in[i] : 0.0f").replace("//", "// größer");
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

/** Opens an address of the page whose fragment alone differs from the one that is open. */
async function follow(page, fragment) {
    await page.goto(`${root}${PAGE}#${fragment}`);
    await page.reload();
    const lab = page.locator(".lab");
    await lab.locator(".edit").waitFor();
    await lab.locator(".cm-content").waitFor();
    return lab;
}

/** A link to an edited kernel, with a struck barrier and another schedule, and to the text alone. */
let shared;
async function share() {
    if (shared) {
        return shared;
    }
    const problems = await visit(`${root}${PAGE}#token=${token}`, { own: [root], ...CLIPBOARD }, async (page) => {
        const lab = await open(page);
        await save(lab, TWICE);
        await lab.getByRole("button", { name: "Close the editor" }).click();
        await lab.locator(".source li.removable").nth(1).getByRole("button").click();
        await lab.locator(".setup > summary").click();
        await lab.getByLabel("Schedule").fill("7");
        await page.keyboard.press("Tab");
        await lab.locator(`${RESULT}.bad`).waitFor();
        await lab.getByRole("button", { name: "Copy a link to this state" }).click();
        await lab.getByRole("button", { name: "The link is copied" }).waitFor();
        const link = await page.evaluate(() => navigator.clipboard.readText());
        shared = new URL(link).hash.slice(1);
    });
    assert.deepEqual(problems, []);
    return shared;
}

editing("a link carries the text, what is struck out of it, and the schedule, and runs when the reader wants it", {}, async (page) => {
    const fragment = await share();
    assert.ok(fragment.length < 2_000, `${fragment.length} characters`);
    const asked = [];
    page.on("request", (request) => asked.push(request.postDataJSON()?.question));
    const lab = await follow(page, fragment);
    await lab.locator(".edit .changed", { hasText: "The text of the link: not compiled yet." }).waitFor();
    assert.match(await lab.locator(RESULT).innerText(), /The kernel of this link has not run yet\./);
    assert.match(await lab.locator(".cm-content").innerText(), /2\.0f \* in\[i\]/);
    await page.waitForTimeout(500);
    assert.ok(!asked.includes("compile") && !asked.includes("print"), asked.join());
    assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("edit:")).length), 0);
    await lab.getByRole("button", { name: "Save and run" }).click();
    await lab.locator(".edit .bad", { hasText: "Your kernel has run." }).waitFor();
    assert.equal(await lab.getByLabel("Schedule").inputValue(), "7");
    assert.match(await lab.locator(RESULT).innerText(), /Without line 25/);
    assert.equal(await page.evaluate(() => localStorage.getItem("edit:chapters-code/chapter_1_reduce/kernels/sequential.cu")), TWICE);
    assert.match(page.url(), /seed=7/);
});

editing("a link replaces no text of the reader's", {}, async (page) => {
    const fragment = await share();
    let lab = await open(page);
    await save(lab, COMPILES);
    const kept = () => page.evaluate(() => localStorage.getItem("edit:chapters-code/chapter_1_reduce/kernels/sequential.cu"));
    const shown = async () => (await lab.locator(".cm-content").innerText()).includes("2.0f * in[i]");
    const earlier = page.getByRole("button", { name: "Take your earlier text" });
    assert.equal(await earlier.isVisible(), false);
    lab = await follow(page, fragment);
    await lab.locator(".edit .changed", { hasText: "The text of the link" }).waitFor();
    assert.equal(await kept(), COMPILES);
    await earlier.click();
    assert.equal(await shown(), false);
    assert.equal(await kept(), COMPILES);
    await earlier.click();
    assert.ok(await shown());
    assert.equal(await kept(), TWICE);
    await page.reload();
    lab = page.locator(".lab");
    await earlier.click();
    assert.equal(await kept(), COMPILES, "also later");
});

editing("a link that strikes lines out of the book's kernel runs that kernel, also where the reader keeps a text", {}, async (page) => {
    let lab = await open(page);
    await save(lab, TWICE);
    await page.goto(`${root}${PAGE}#${LAB}&without=sequential.cu:25`);
    await page.reload();
    lab = page.locator(".lab");
    await lab.locator(".cm-content").waitFor();
    await lab.locator(`${RESULT}.bad`, { hasText: "Without line 25" }).waitFor();
    assert.match(await said(lab), /^Not compiled yet\./);
    assert.match(await lab.locator(".cm-content").innerText(), /2\.0f \* in\[i\]/);
    assert.equal(await page.locator(".lab.edited").count(), 0);
});

editing("a link that is damaged, or of something else, says so", {}, async (page) => {
    const own = new URLSearchParams(await share());
    let lab = await open(page);
    await save(lab, COMPILES);
    const half = own.get("text").slice(0, own.get("text").length / 2);
    const twisted = half.slice(0, -9) + "AAAAAAAAA" + own.get("text").slice(half.length);
    for (const [text, says] of [
        [half, /damaged, or its end is missing/],
        [twisted, /damaged, or its end is missing/],
        ["1.", /damaged/],
        ["1.%00", /damaged/],
        ["2.abc", /another version of the book/],
        ["https://example.org", /another version of the book made the link, or something else/],
        ["", /another version/],
    ]) {
        lab = await follow(page, `${LAB}&text=${encodeURIComponent(text)}`);
        await lab.locator(".edit .bad").waitFor();
        assert.match(await said(lab), says, text);
        assert.match(await said(lab), /Your texts and the book's kernel are as they were\.$/);
        assert.equal(await page.evaluate(() => localStorage.getItem("edit:chapters-code/chapter_1_reduce/kernels/sequential.cu")), COMPILES);
    }
    await lab.getByRole("button", { name: "Run", exact: true }).click();
    await lab.locator(`${RESULT}.good`).waitFor();
});

editing("a text that is too long for a link says so", CLIPBOARD, async (page) => {
    const lab = await open(page);
    let digits = "";
    for (let value = 1; digits.length < 40_000; value = (value * 48_271) % 2_147_483_647) {
        digits += value.toString(36);
    }
    await type(lab, `${SOURCE}// ${digits}\n`);
    await lab.getByRole("button", { name: "Copy a link to this state" }).click();
    await lab.locator("footer", { hasText: /The text is too long for a link: it would take [34]\d,\d{3} characters, of at most 16,000\. Copy the text instead\./ }).waitFor();
    await type(lab, COMPILES);
    await lab.getByRole("button", { name: "Copy a link to this state" }).click();
    await lab.getByRole("button", { name: "The link is copied" }).waitFor();
    await lab.getByRole("button", { name: "Run", exact: true }).click();
    await lab.getByRole("button", { name: "Copy a link to this state" }).waitFor();
    assert.doesNotMatch(await lab.locator("footer").innerText(), /too long/);
});

test("a text longer than any of a link is not unpacked", async () => {
    const problems = await visit(`${root}${PAGE}#token=${token}`, { own: [root] }, async (page) => {
        const bomb = await page.evaluate(async () => {
            const stream = new Blob([new Uint8Array(50_000_000)]).stream().pipeThrough(new CompressionStream("deflate"));
            const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
            return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        });
        const lab = await follow(page, `${LAB}&text=1.${bomb}`);
        await lab.locator(".edit .bad", { hasText: "The text in this link is too long: at most 200,000 bytes are taken." }).waitFor();
    });
    assert.deepEqual(problems, []);
});

test("without the token, and on a published page, the text of a link waits in the address", async () => {
    const fragment = await share();
    const text = new URLSearchParams(fragment).get("text");
    const unknown = await visit(`${root}${PAGE}#${fragment}`, { own: [root] }, async (page) => {
        await page.getByText("Open the address that `serve --edit` has printed.").waitFor();
        assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("text"), text);
    });
    assert.ok(unknown.length > 0 && unknown.every((problem) => problem.includes("403")), unknown.join("\n"));
    const problems = await visit(`${smallRoot()}${PAGE}#${fragment}`, {}, async (page) => {
        const lab = page.locator(".lab");
        await lab.locator(".verdict", { hasText: "This link has an edited kernel, and this page has no editor." }).waitFor();
        await lab.getByRole("button", { name: "Run", exact: true }).click();
        await lab.locator(".verdict.good").waitFor();
        const state = new URLSearchParams(new URL(page.url()).hash.slice(1));
        assert.deepEqual([state.get("text"), state.get("without")], [text, "sequential.cu:25"]);
        await lab.locator(".source li.removable").first().getByRole("button").click();
        await lab.locator(".verdict.bad", { hasText: "Without line 18" }).waitFor();
        const struck = new URLSearchParams(new URL(page.url()).hash.slice(1));
        assert.deepEqual([struck.get("text"), struck.get("without")], [null, "sequential.cu:18"]);
    });
    assert.deepEqual(problems, []);
});

test("without the token nothing is compiled, and a message says what to do", async () => {
    const problems = await visit(root + PAGE, { own: [root] }, async (page) => {
        await page.getByRole("button", { name: "Run it: sequential" }).click();
        await page.locator(".verdict.good").waitFor();
        await page.getByRole("button", { name: "Edit the kernel" }).click();
        await page.getByText("Open the address that `serve --edit` has printed.").waitFor();
        assert.equal(await page.locator(".edit:visible").count(), 0);
    });
    assert.ok(problems.length > 0 && problems.every((problem) => problem.includes("403")), problems.join("\n"));
});

for (const theme of THEMES) {
    editing(`the editor is for everyone: ${theme}`, { theme }, async (page, problems) => {
        const lab = await open(page);
        await save(lab, SOURCE.replace("shared[tid] +=", "shard[tid] +="));
        const exercise = await open_exercise(page, "1.2");
        await exercise.getByRole("button", { name: "Check" }).click();
        await exercise.locator(".verdict.bad").waitFor();
        problems.push(...(await accessibility(page)), ...(await page.evaluate(looks.alternatives)));
    });
}

editing("the editor fits on a phone", { viewport: PHONE }, async (page, problems) => {
    const lab = await open(page);
    await save(lab, SOURCE.replace("shared[tid] +=", "shard[tid] +="));
    await open_exercise(page, "1.1");
    problems.push(...(await page.evaluate(looks.overflow)));
});

test("a published page has no editor, and says how to get it", async () => {
    const problems = await visit("chapter_1_reduce/shared_memory.html#lab=chapter_1_reduce/sequential", {}, async (page) => {
        await page.locator(".lab .verdict.good").waitFor();
        assert.match(await page.locator(".lab .hint:visible").last().innerText(), /cargo run --bin book -- serve --edit/);
        assert.equal(await page.getByRole("button", { name: "Edit the kernel" }).count(), 0);
    });
    assert.deepEqual(problems, []);
    assert.ok(!existsSync(`${FOLDER}/__edit.js`) && !existsSync(`${FOLDER}/__codemirror.js`));
});
