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
    const OTHERS = 2; // the machine and the kernel

    /** Loads the lab once. After a failure the next press tries again. */
    function load(onloaded) {
        loading ??= files
            .reduce((before, file) => before.then(file).then(onloaded), Promise.resolve())
            .catch((error) => {
                loading = undefined;
                throw error;
            });
        return loading;
    }

    /** A bar that shows how many of the files are there. */
    function progress(place) {
        const bar = document.createElement("progress");
        Object.assign(bar, { max: files.length + OTHERS, value: 0 });
        bar.setAttribute("aria-label", "Loading the lab");
        place.querySelector("[role=status]").replaceChildren(" Loading … ", bar);
        return () => (bar.value += 1);
    }

    async function open(place, state) {
        const button = place.querySelector("button");
        const said = place.querySelector("[role=status]");
        button.disabled = true;
        const onloaded = progress(place);
        try {
            await load(onloaded);
            await window.warpLab.open(place, folder, state, onloaded);
            said.textContent = "";
        } catch (error) {
            said.textContent = ` ${error.message}`;
        }
        button.disabled = false;
    }

    for (const place of places) {
        const kernel = place.dataset.lab.split("/")[1];
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = place.classList.contains("named") ? `Run ${kernel}` : "Run it";
        button.setAttribute("aria-label", `${button.textContent}: ${kernel}, in this page`);
        button.addEventListener("click", () => open(place));
        const said = document.createElement("span");
        said.setAttribute("role", "status");
        place.append(button, said);
        place.hidden = false;
    }
    const state = new URLSearchParams(location.hash.slice(1));
    const asked = places.find((place) => place.dataset.lab === state.get("lab"));
    if (asked) {
        window.reveal(asked);
        open(asked, state);
    }
})();
