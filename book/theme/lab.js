// Puts a button below each listing of a kernel that can be run. The lab itself is loaded when one is pressed, or
// when the address asks for it: #lab=CHAPTER/KERNEL.
"use strict";

(() => {
    const places = [...document.querySelectorAll(".run-it")];
    const folder = `${typeof path_to_root === "string" ? path_to_root : ""}lab/`;
    let loading;

    function load() {
        loading ??= new Promise((resolve, reject) => {
            const style = document.createElement("link");
            style.rel = "stylesheet";
            style.href = `${folder}lab.css`;
            const script = document.createElement("script");
            script.src = `${folder}lab.js`;
            style.onload = () => document.head.append(script);
            script.onload = resolve;
            script.onerror = style.onerror = () => reject(new Error("The lab cannot be loaded."));
            document.head.append(style);
        });
        return loading;
    }

    async function open(place, state) {
        const button = place.querySelector("button");
        button.disabled = true;
        try {
            await load();
            await window.warpLab.open(place, folder, state);
        } catch (error) {
            place.append(` ${error.message}`);
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
        place.append(button);
        place.hidden = false;
    }
    const state = new URLSearchParams(location.hash.slice(1));
    const asked = places.find((place) => place.dataset.lab === state.get("lab"));
    if (asked) {
        window.reveal(asked);
        open(asked, state);
    }
})();
