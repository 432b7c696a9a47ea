// What axe-core says of a page as it stands.
import axe from "axe-core";

/** What axe-core finds, a line each; with `rules`, by these only. */
export async function accessibility(page, rules) {
    await page.evaluate(axe.source);
    // axe-core does not read MathML, so it takes headings that are formulas for empty.
    const context = { exclude: "th:has(> .katex math)" };
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
    const found = await page.evaluate(([context, options]) => axe.run(context, options), [context, options]);
    return found.violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 120)} | ${node.any.concat(node.all, node.none).map((c) => c.message).join(" ").slice(0, 200)}`),
    );
}
