/* Elements, numbers and colours. Text gets into the page here alone, as text. */
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function byId(id) {
    return document.getElementById(id);
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else if (value !== null && value !== undefined && value !== false) {
            element.setAttribute(name, value === true ? '' : String(value));
        }
    }
    /* append() takes strings for text, whatever they hold. */
    element.append(...[children ?? []].flat().filter((child) => child !== null));
    return element;
}

/** An element of HTML. Attributes whose names begin with "on" are listeners; null ones are left out. */
function make(name, attributes, children) {
    return fill(document.createElement(name), attributes, children);
}

/** An element of SVG. */
function draw(name, attributes, children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
}

/* ---- numbers ---- */

const grouped = new Intl.NumberFormat('en');
const collator = new Intl.Collator('en', {numeric: true});

function count(number) {
    return typeof number === 'number' ? grouped.format(number) : 'n/a';
}

function counted(number, noun) {
    return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A percentage that is never rounded to all or to nothing. */
function percent(value) {
    if (typeof value !== 'number') {
        return 'n/a';
    }
    if (value <= 0 || value >= 100) {
        return `${value} %`;
    }
    const digits = value > 99 || value < 1 ? 2 : 1;
    const text = value.toFixed(digits);
    if (Number(text) === 100) {
        return '>99.99 %';
    }
    return Number(text) === 0 ? '<0.01 %' : `${text} %`;
}

function bytes(number) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let unit = 0;
    let rest = number;
    while (rest >= 1000 && unit + 1 < units.length) {
        rest /= 1000;
        unit++;
    }
    return `${unit === 0 ? rest : rest.toFixed(1)} ${units[unit]}`;
}

function milliseconds(value) {
    return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}

/* ---- colours ---- */

/* From best to worst: the least score, the class of style, and what the legend says. */
const SCORES = [
    {least: 100, name: 's0', text: '100 %'},
    {least: 99, name: 's1', text: '≥ 99 %'},
    {least: 95, name: 's2', text: '≥ 95 %'},
    {least: 80, name: 's3', text: '≥ 80 %'},
    {least: 50, name: 's4', text: '≥ 50 %'},
    {least: -Infinity, name: 's5', text: '< 50 %'},
];
const UNKNOWN = {name: 'sna', text: 'n/a'};

function scoreClass(score) {
    return typeof score === 'number' ? SCORES.find((step) => score >= step.least).name : UNKNOWN.name;
}

/** A bar as long as the score, and coloured by it. */
function scoreBar(score) {
    const inner = make('span', {class: `fill ${scoreClass(score)}`});
    inner.style.width = `${typeof score === 'number' ? Math.max(0, Math.min(100, score)) : 100}%`;
    return make('span', {class: 'meter', 'aria-hidden': 'true'}, inner);
}

/** A name with dots, or whatever stands between its parts; its lines may break there. */
function dotted(name, mark = '.') {
    return name.split(mark).flatMap((part, i) => i > 0 ? [mark, make('wbr'), part] : [part]);
}

/** A path of which the end stays readable where there is no room for all of it. */
function pathText(text) {
    const cut = text.lastIndexOf('/', text.length - 2);
    return make('span', {class: 'path', title: text}, [
        make('span', {class: 'head'}, text.slice(0, cut + 1)),
        make('span', {class: 'tail'}, text.slice(cut + 1)),
    ]);
}
