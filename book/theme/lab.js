// Puts a button below each listing of a kernel that can be run. The lab itself is loaded when one is pressed, or
// when the address asks for it: #lab=CHAPTER/KERNEL.
"use strict";

(() => {
    const places = [...document.querySelectorAll(".run-it")];
    const folder = `${typeof path_to_root === "string" ? path_to_root : ""}lab/`;
    let loading;

    /** Adds a file to the page. One that cannot be loaded leaves nothing behind. */
    function add(name, properties) {
        return new Promise((resolve, reject) => {
            const element = Object.assign(document.createElement(name), properties);
            element.onload = resolve;
            element.onerror = () => {
                element.remove();
                reject(new Error("The lab cannot be loaded. Press the button to try again."));
            };
            document.head.append(element);
        });
    }

    const files = [
        () => add("link", { rel: "stylesheet", href: `${folder}lab.css` }),
        () => add("script", { src: `${folder}words.js` }),
        () => add("script", { src: `${folder}lab.js` }),
    ];
    const USUAL = 1_000_000; // bytes of the machine and a kernel, about
    const OWN = 0.1; // the part of these files in what is loaded; the rest is the machine and the kernel

    /** Loads the lab once. After a failure the next press tries again. */
    function load(onfile) {
        loading ??= files
            .reduce((before, file) => before.then(file).then(onfile), Promise.resolve())
            .catch((error) => {
                loading = undefined;
                throw error;
            });
        return loading;
    }

    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

    /** A bar that grows with each file of the lab, and with the bytes of the machine and the kernel, which words count. */
    function progress(place) {
        const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
        bar.setAttribute("aria-label", "Loading the lab");
        const words = document.createElement("span");
        words.setAttribute("aria-hidden", "true"); // The bar says it, too.
        place.querySelector("[role=status]").replaceChildren(" Loading … ", bar, words);
        const all = Number(place.dataset.bytes) || USUAL;
        let bytes = 0;
        return {
            onfile: () => (bar.value += OWN / files.length),
            onbytes(more) {
                bytes += more;
                bar.value = OWN + (1 - OWN) * Math.min(bytes / all, 1);
                words.textContent = ` ${megabytes(bytes)} of ${megabytes(Math.max(all, bytes))} MB`;
            },
        };
    }

    async function open(place, state) {
        const buttons = [...place.querySelectorAll("button")];
        const said = place.querySelector("[role=status]");
        buttons.forEach((button) => (button.disabled = true));
        const { onfile, onbytes } = progress(place);
        try {
            await load(onfile);
            await window.warpLab.open(place, folder, state, onbytes);
            said.textContent = "";
        } catch (error) {
            said.textContent = ` ${error.message}`;
        }
        buttons.forEach((button) => (button.disabled = false));
    }

    /** Strikes out the last line with this text in the lab that is open at a place, unless it is struck out already. */
    function strike(place, text) {
        const lines = [...(place.lab?.section.querySelectorAll(".source li.removable") ?? [])];
        const last = lines.filter((line) => line.textContent.includes(text)).at(-1);
        if (last && !last.classList.contains("removed")) {
            last.querySelector("button").click();
        }
    }

    function button(kernel, text, onclick) {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = text;
        made.setAttribute("aria-label", `${text}: ${kernel}, in this page`);
        made.addEventListener("click", onclick);
        return made;
    }

    for (const place of places) {
        const { lab, without } = place.dataset;
        const kernel = lab.split("/")[1];
        if (without) {
            const onclick = () => open(place).then(() => strike(place, without));
            const main = button(kernel, `Strike out ${without} and run it`, onclick);
            main.className = "main";
            place.append(main, " ");
        }
        const run = place.classList.contains("named") ? `Run ${kernel}` : "Run it";
        const said = document.createElement("span");
        said.setAttribute("role", "status");
        place.append(button(kernel, run, () => open(place)), said);
        place.hidden = false;
    }

    /** Opens the lab that the address asks for. */
    function follow() {
        const state = new URLSearchParams(location.hash.slice(1));
        const asked = places.find((place) => place.dataset.lab === state.get("lab"));
        if (asked) {
            window.reveal(asked);
            open(asked, state);
        } else if (state.has("lab")) {
            const said = document.createElement("p");
            said.setAttribute("role", "status");
            said.textContent = `The address asks for a lab that this page does not have: ${state.get("lab")}.`;
            document.querySelector("main")?.prepend(said);
        }
    }
    follow();
    addEventListener("hashchange", follow);
})();
