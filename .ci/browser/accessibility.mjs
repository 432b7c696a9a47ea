// What axe-core says of a page as it stands.
import axe from "axe-core";

/** What axe-core finds, a line each. */
export async function accessibility(page) {
    await page.evaluate(axe.source);
    // axe-core does not read MathML, so it takes headings that are formulas for empty.
    const context = { exclude: "th:has(> .katex math)" };
    const found = await page.evaluate((context) => axe.run(context, { resultTypes: ["violations"] }), context);
    return found.violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 120)} | ${node.any.concat(node.all, node.none).map((c) => c.message).join(" ").slice(0, 200)}`),
    );
}
