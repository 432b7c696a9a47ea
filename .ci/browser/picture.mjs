// The moving picture of the README: a figure of the book that steps, with the loop that it shows and how many
// threads work, as one SVG file that moves by itself. All of it is read off the built pages.

/** The page with the figure, the kernel that it is of, and the page with that kernel's listing. */
export const FIGURE = "chapter_1_reduce/index.html";
export const LISTING = "chapter_1_reduce/shared_memory.html";
const KERNEL = "sequential";

const SCALE = 1.35;
const SIZE = { width: 850, height: 372 };
const LEFT = 372; // of the text beside the figure
const STEP = 2.4; // seconds
const HOLD = 2; // the last step stays for so many steps more
const LATER = "opacity: 0.12"; // of steps to come
const FONT = 'font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif';
const MONO = "font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/** The loop of the kernel, line by line, without the indentation of its listing. */
export async function loop(page) {
    const code = page.locator("pre code").filter({ hasText: "stride /= 2" });
    const text = (await code.first().textContent()).split("\n");
    const first = text.findIndex((line) => line.includes("for ("));
    const indent = text[first].search(/\S/);
    const last = text.findIndex((line, at) => at > first && line.search(/\S/) === indent);
    return text.slice(first, last + 1).map((line) => line.slice(indent));
}

/** The figure as it stands in the page's theme: its drawing, the style of each class, and what each step does. */
export async function figure(page) {
    const figure = page.locator("figure.drawn.tree", { hasText: `execution of ${KERNEL}` }).first();
    await figure.getByRole("button", { name: "Next step" }).click();
    return figure.evaluate((figure) => {
        const PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor"];
        const svg = figure.querySelector("svg");
        const drawing = svg.querySelector("g").innerHTML;
        // On the page, what a step to come does is hidden.
        svg.querySelectorAll(".later").forEach((step) => step.classList.remove("later"));
        const style = (element, properties) => {
            const computed = getComputedStyle(element);
            return properties.map((name) => `${name}: ${computed.getPropertyValue(name)}`).join("; ");
        };
        const styles = {};
        for (const element of svg.querySelectorAll("[class]:not([data-step])")) {
            styles[element.getAttribute("class")] ??= style(element, PROPERTIES);
        }
        const page = getComputedStyle(document.documentElement);
        return {
            drawing,
            words: svg.querySelector("g").querySelectorAll(":scope > text").length,
            said: [...figure.querySelectorAll(".said li")].map((step) => step.textContent),
            styles,
            ground: page.backgroundColor,
            text: getComputedStyle(figure).color,
            main: getComputedStyle(svg.querySelector(".head")).fill,
        };
    });
}

/** The picture, from the figure in a light and in a dark theme. */
export function draw(light, dark, code) {
    const steps = light.said.length;
    const all = steps + HOLD;
    const seconds = (all * STEP).toFixed(1);
    const at = (step) => `${((100 * step) / all).toFixed(2)}%`;
    const parts = light.said.map((_, step) => step);
    const frames = parts.slice(1).map(
        (step) => `@keyframes step-${step + 1} { 0%, ${at(step)} { ${LATER} } ${at(step + 0.15)}, 100% { opacity: 1 } }`,
    );
    const notes = parts.map((step) => {
        const gone = step + 1 < steps ? `${at(step + 1)}, 100% { opacity: 0 }` : "";
        const before = step > 0 ? `0%, ${at(step - 0.01)} { opacity: 0 } ` : "";
        return `@keyframes note-${step + 1} { ${before}${at(step)}, ${at(step + 0.99)} { opacity: 1 } ${gone}}`;
    });
    const moving = parts.map((step) => {
        const part = step > 0 ? `[data-step="${step + 1}"] { animation: step-${step + 1} ${seconds}s infinite } ` : "";
        return `${part}.note-${step + 1} { opacity: 0; animation: note-${step + 1} ${seconds}s infinite }`;
    });
    const still = parts.slice(0, -1).map((step) => `.note-${step + 1} { opacity: 0 }`);
    const title = `The kernel ${KERNEL} of chapter 1: ${light.words} threads add ${light.words} numbers in ${steps - 1} steps`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-labelledby="t">
<title id="t">${title}</title>
<style>
${sheet(light)}
@media (prefers-color-scheme: dark) {
${sheet(dark)}
}
text { ${FONT} }
.code { ${MONO}; font-size: 11.5px; white-space: pre }
.heading { font-size: 16px; font-weight: 600 }
.note { font-size: 15px }
@media (prefers-reduced-motion: reduce) {
${still.join("\n")}
}
@media (prefers-reduced-motion: no-preference) {
${[...moving, ...frames, ...notes].join("\n")}
}
</style>
<rect class="card" x="0.5" y="0.5" width="${SIZE.width - 1}" height="${SIZE.height - 1}" rx="8"/>
<text class="heading" x="24" y="34">${title}</text>
<g transform="translate(24 52) scale(${SCALE})">${light.drawing}</g>
${code.map((line, row) => `<text class="code" xml:space="preserve" x="${LEFT}" y="${76 + 18 * row}">${escape(line)}</text>`).join("\n")}
${light.said.map((said, step) => note(said, step, light)).join("\n")}
</svg>
`;
}

/** The styles of a theme. */
function sheet({ styles, ground, text, main }) {
    const of = (name) => `.${name.split(" ").join(".")}`;
    const rules = Object.entries(styles).map(([name, style]) => `${of(name)} { ${style} }`);
    return [
        `.card { fill: ${ground}; stroke: ${text}; stroke-opacity: 0.3 }`,
        `.heading, .code, .note text { fill: ${text} }`,
        `.idle { fill: none; stroke: ${text}; stroke-opacity: 0.4 }`,
        `.busy { fill: ${main}; stroke: ${main} }`,
        ...rules,
    ].join("\n");
}

/** What a step does: how many threads add, and how many additions have been made by then. */
function note(said, step, { words, said: all }) {
    const adding = (said) => [...said.matchAll(/thread (\d+) folds/g)].map(([, thread]) => Number(thread));
    const busy = new Set(adding(said));
    const sum = all.slice(0, step + 1).flatMap(adding).length;
    const steps = all.length - 1;
    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    const [heading, text] =
        step === 0
            ? ["Before the first step", "Each thread has stored a number in shared memory."]
            : [`Step ${step} of ${steps}: ${busy.size} of ${words} threads ${busy.size === 1 ? "adds" : "add"}`, `${plural(sum, "addition")} so far.`];
    const end = step === steps ? ` One thread alone would need ${plural(sum, "step")}.` : "";
    const squares = Array.from({ length: words }, (_, thread) => {
        const state = busy.has(thread) ? "busy" : "idle";
        return `<rect class="${state}" x="${LEFT + 26 * thread}" y="226" width="20" height="20" rx="2"/>`;
    });
    return `<g class="note note-${step + 1}">${squares.join("")}
<text class="heading" x="${LEFT}" y="278">${heading}</text>
<text x="${LEFT}" y="302">${text}${end}</text></g>`;
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The picture that is shown with a link to the book, as a page to take a picture of: the book's name over the last step. */
export const COVER = { width: 1200, height: 630 };
export function cover(drawn) {
    const style = `margin: 0; display: grid; align-content: center; justify-items: center; gap: 24px; height: 100vh; background: #ffffff; color: #000000; ${FONT}`;
    const wide = drawn.replace("<svg ", '<svg width="1120" ');
    return `<!DOCTYPE html><link rel="icon" href="data:,"><body style='${style}'><div style="font-size: 64px; font-weight: 600">Warp by Warp</div>${wide}</body>`;
}

/** How far two pictures differ at most in a block of 30 × 30 pixels, from 0 to 1 on average there, or 1 where their sizes
 * differ. Runs in the browser. */
export async function difference(pictures) {
    const BLOCK = 30; // pixels
    const [one, other] = await Promise.all(
        pictures.map(async (base64) => {
            const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
            const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
            const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, bitmap.width, bitmap.height);
        }),
    );
    if (one.width !== other.width || one.height !== other.height) {
        return 1;
    }
    const columns = Math.ceil(one.width / BLOCK);
    const blocks = Array.from({ length: columns * Math.ceil(one.height / BLOCK) }, () => ({ sum: 0, parts: 0 }));
    one.data.forEach((value, at) => {
        if (at % 4 === 3) {
            return; // Nothing is transparent.
        }
        const pixel = Math.floor(at / 4);
        const [column, row] = [pixel % one.width, Math.floor(pixel / one.width)].map((along) => Math.floor(along / BLOCK));
        const block = blocks[row * columns + column];
        block.sum += Math.abs(value - other.data[at]);
        block.parts += 1;
    });
    return Math.max(...blocks.map(({ sum, parts }) => sum / parts / 255));
}
