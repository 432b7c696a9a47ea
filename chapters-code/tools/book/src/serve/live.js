// Follows the news of `book serve`: reloads the page after a build, and shows what went wrong.
"use strict";

(() => {
    let version = null;
    let shown = null;

    function show(text, role) {
        shown?.remove();
        shown = null;
        if (text) {
            shown = document.createElement("pre");
            shown.setAttribute("role", role);
            shown.textContent = text;
            shown.style.cssText =
                "position:fixed;inset:auto 0 0 0;z-index:1000;margin:0;padding:1em;max-height:50vh;" +
                "overflow:auto;white-space:pre-wrap;font-size:14px;background:#fff;color:#8c1d18;" +
                "border-top:4px solid #8c1d18";
            document.body.append(shown);
        }
    }

    new EventSource("/__live").addEventListener("message", (event) => {
        const news = JSON.parse(event.data);
        const isNew = version !== null && news.version !== version;
        version = news.version;
        if (isNew && !news.error) {
            location.reload();
        } else {
            show(news.error ?? news.notice, news.error ? "alert" : "status");
        }
    });
})();
