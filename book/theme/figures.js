// Lets readers step through the figures that have steps. Without this script all steps show.
"use strict";

(() => {
    const PAUSE = 1800; // milliseconds a step, while playing

    function button(label, text, action) {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = text;
        made.setAttribute("aria-label", label);
        made.addEventListener("click", action);
        return made;
    }

    // A drawing is a stop of the Tab key only where it scrolls.
    function watchOverflow(frames) {
        const update = () => {
            for (const frame of frames) {
                const scrolls = frame.scrollWidth > frame.clientWidth;
                frame.toggleAttribute("tabindex", scrolls);
                if (scrolls) {
                    frame.tabIndex = 0;
                }
            }
        };
        // Also when what is folded opens.
        const sizes = new ResizeObserver(update);
        frames.forEach((frame) => sizes.observe(frame));
        update();
        return update;
    }

    function setUp(figure) {
        const frames = [...figure.querySelectorAll(".frame")];
        if (frames.length === 0) {
            return;
        }
        const overflow = watchOverflow(frames);
        // mdBook turns pages with the arrow keys; here they scroll.
        frames.forEach((frame) => frame.addEventListener("keydown", (e) => e.stopPropagation()));
        const said = [...figure.querySelectorAll(".said[data-steps] li, .part .words")];
        const last = said.length;
        if (last < 2) {
            return;
        }
        const parts = [...figure.querySelectorAll("[data-step]")];
        const several = figure.querySelector(".part") !== null;
        let step = several ? 1 : 0; // 0 shows all
        let timer = 0;

        const count = document.createElement("span");
        const now = document.createElement("p");
        now.className = "now";
        now.setAttribute("aria-live", "polite");

        function show(next) {
            step = next;
            for (const part of parts) {
                const own = Number(part.dataset.step);
                if (several) {
                    part.hidden = step > 0 && own !== step;
                } else {
                    part.classList.toggle("later", step > 0 && own > step);
                }
            }
            // The first row of a picture is what is there before the first step.
            const before = several ? 0 : 1;
            count.textContent = step > 0 ? `step ${step - before} of ${last - before}` : "";
            now.textContent = step > 0 ? said[step - 1].textContent : "";
            now.classList.toggle("unseen", several); // its words stand below each drawing
            all.setAttribute("aria-pressed", String(step === 0));
            overflow();
        }

        function stop() {
            clearInterval(timer);
            timer = 0;
            play.textContent = "play";
            play.setAttribute("aria-label", "Play the steps");
        }

        function go(next) {
            stop();
            show(Math.min(Math.max(next, 1), last));
        }

        function toggle() {
            if (timer) {
                stop();
                return;
            }
            show(step === 0 || step === last ? 1 : step + 1);
            play.textContent = "pause";
            play.setAttribute("aria-label", "Pause");
            timer = setInterval(() => (step === last ? stop() : show(step + 1)), PAUSE);
        }

        const back = button("Previous step", "◀", () => go(step - 1));
        const play = button("Play the steps", "play", toggle);
        const forth = button("Next step", "▶", () => go(step + 1));
        const all = button("Show all steps", "all", () => {
            stop();
            show(0);
        });

        const controls = document.createElement("div");
        controls.className = "controls";
        controls.setAttribute("role", "group");
        controls.setAttribute("aria-label", "Steps of the figure");
        controls.append(back, play, forth, all, count);
        controls.addEventListener("keydown", (event) => {
            const keys = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 1, End: last };
            if (event.key in keys) {
                event.preventDefault();
                event.stopPropagation();
                go(keys[event.key]);
            }
        });
        figure.prepend(controls);
        (several ? parts[last - 1] : (figure.querySelector(".beside") ?? frames[0])).after(now);
        show(step);
    }

    document.querySelectorAll("figure.drawn").forEach(setUp);
})();
