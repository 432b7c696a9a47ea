// What came of a reader's prediction, by the rule of the book's own (chapters-code/tools/book/src/verdict.rs), in words that
// follow "the prediction".
"use strict";

window.verdictOn = (() => {
    const TOLERANCE = 0.1; // of a measured number, as a part of the predicted one
    const REACH = 2; // from this factor on a prediction is too high or too low
    const ROUNDING = 1e-12;

    const isSame = (a, b) => Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b));
    const decimals = (number, places) => String(Number(number.toFixed(places)));
    const thousands = (number) => number.toLocaleString("en-US");

    /** A number with as few decimals as distinguish it from `other`, but at least `least`. */
    function apart(number, other, least) {
        for (let places = least; places < 6; places += 1) {
            const text = decimals(number, places);
            if (isSame(number, other) || Number(text) !== other) {
                return text;
            }
        }
        return decimals(number, 6);
    }

    function percent(part) {
        const number = part * 100;
        if (number < 0.05) {
            return "less than 0.1 %";
        }
        return `${number < 9.95 ? decimals(number, 1) : apart(number, TOLERANCE * 100, 0)} %`;
    }

    const times = (factor) => (factor < 9.95 ? apart(factor, REACH, 1) : thousands(Math.round(factor)));

    /** `kind` is that of the question, "measured" or "count". */
    return (kind, predicted, value) => {
        const isCount = kind === "count";
        const off = Math.abs(value - predicted);
        const isHeld = isCount ? isSame(predicted, value) : off <= TOLERANCE * Math.abs(predicted) * (1 + ROUNDING);
        if (isHeld) {
            return "held";
        }
        const direction = value < predicted ? "high" : "low";
        if (predicted === 0 || value === 0 || predicted > 0 !== value > 0) {
            return `was too ${direction}`;
        }
        const factor = value < predicted ? predicted / value : value / predicted;
        if (factor >= REACH) {
            return `was ${times(factor)} times too ${direction}`;
        }
        return `missed by ${isCount ? thousands(Number(off.toFixed(3))) : percent(off / Math.abs(predicted))}`;
    };
})();
