// A table of many lines: a field that leaves those with all the words in it, and the lines that are left as a file.
"use strict";

(() => {
    function made(name, properties, ...children) {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    }

    /** The text of a cell as one would type it: powers with a caret, no break where a line may break. */
    function typed(cell) {
        const copy = cell.cloneNode(true);
        copy.querySelectorAll("sup").forEach((power) => power.replaceWith(`^${power.textContent}`));
        return copy.textContent.replace(/\s+/g, " ").trim();
    }

    document.querySelectorAll("table.filtered").forEach((table, number) => {
        const rows = [...table.tBodies[0].rows];
        const lines = rows.map((row) => [...row.cells].map(typed));
        const texts = lines.map((line) => line.join(" ").toLowerCase());
        const field = made("input", { id: `filter-${number}`, type: "search", autocomplete: "off" });
        const label = made("label", { htmlFor: field.id }, "Lines with");
        const count = made("output", {});
        const file = made("a", { download: table.dataset.file, href: "" }, "Download these lines");

        function filter() {
            const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
            let left = 0;
            rows.forEach((row, index) => {
                row.hidden = !words.every((word) => texts[index].includes(word));
                left += row.hidden ? 0 : 1;
            });
            count.textContent = `${left} of ${rows.length} lines`;
        }

        // Made when it is asked for.
        file.addEventListener("click", () => {
            const head = [...table.tHead.rows[0].cells].map(typed);
            const shown = lines.filter((_, index) => !rows[index].hidden);
            const text = [head, ...shown].map((line) => `${line.join("\t")}\n`).join("");
            URL.revokeObjectURL(file.href);
            file.href = URL.createObjectURL(new Blob([text], { type: "text/tab-separated-values" }));
        });
        field.addEventListener("input", filter);
        // mdBook turns pages with the arrow keys, and searches at a slash.
        field.addEventListener("keydown", (event) => event.stopPropagation());
        const box = made("p", { className: "filter" }, label, " ", field, " ", count, " ", file);
        table.closest(".table-wrapper").before(box);
        filter();
    });
})();
