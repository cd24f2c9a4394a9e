// Builds the page from the reports in #data. Texts of records become text nodes, never HTML.
'use strict';

const kRows = 10; // of a long table, until more is asked for

const slot = (root, name) => root.querySelector('[data-slot="' + name + '"]');
const put = (root, name, text) => { slot(root, name).textContent = text; };
const show = (root, name) => { slot(root, name).hidden = false; };
const count = (n, one, many) => n + ' ' + (n === 1 ? one : many || one + 's');
const percent = (part) => (part ? (100 * part).toFixed(1) : '');
const times = (ratio) => (ratio ? ratio.toFixed(2) + '×' : '-');
const moment = (utc) => (utc ? utc.replace('T', ' ').replace('Z', '') : '');

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const number = (text) => element('td', text, 'number');
const word = (text) => element('td', text, 'one-line');
function code(text) {
  const cell = element('td', undefined, 'one-line');
  cell.append(element('code', text));
  return cell;
}

function row(...cells) {
  const made = element('tr');
  made.append(...cells);
  return made;
}

/** The first rows; a button shows the others. */
function fillTable(body, rows, button) {
  body.append(...rows.slice(0, kRows));
  const others = rows.slice(kRows);
  if (others.length > 0) {
    button.hidden = false;
    button.textContent = 'Show all ' + rows.length;
    button.addEventListener('click', () => { body.append(...others); button.hidden = true; });
  }
}

// 1. The head.

function fillHead(root, report) {
  const winner = report.winner;
  const failed = report.trials.filter((t) => !t.seconds).length;
  put(root, 'pipeline', report.pipeline);
  put(root, 'lead', report.sizes.replaceAll(';', '; ') + ', ' + count(report.threads, 'thread') + ', ' + report.machine);
  put(root, 'best-time', winner ? timeText(winner.seconds) : '-');
  put(root, 'best-note', !winner ? 'no schedule was right and timed' : '± ' + percent(winner.uncertainty) + ' %, ' +
    (winner.final ? 'timed at the end, compiled ahead of time' : 'timed as a trial, not yet in a final'));
  put(root, 'speed-up', times(report.speed_up));
  put(root, 'trials', report.trials.length);
  put(root, 'trials-note', 'in ' + count(report.runs.length, 'run') + (winner && winner.trial ? '; the winner is trial ' + winner.trial : ''));
  put(root, 'failed', failed);
  put(root, 'failed-note', report.failures.map((f) => f.count + ' ' + f.outcome).join(', '));
}

// 2. The tables.

function fillGains(root, report) {
  const first = report.first_seconds;
  root.querySelector('.gains tbody').append(...report.trials.filter((t) => t.is_gain).map((t) => row(
    number(t.number), number(timeText(t.seconds)), number(percent(t.uncertainty)), number(times(first / t.seconds)),
    word(t.origin), code(t.schedule_hash))));
}

function fillBest(root, report) {
  put(root, 'best-about', report.best.length === 0 ? 'No schedule was right and timed.' :
    'One row a schedule. Finals were compiled ahead of time and timed in turns with each other; trials were compiled in ' +
    'memory and timed alone, so they compare less well.');
  slot(root, 'structure-head').hidden = report.structures_by_origin;
  const rows = report.best.map(function (s) {
    const structure = number(s.structure + 1);
    structure.hidden = report.structures_by_origin;
    return row(number(timeText(s.seconds)), number(percent(s.uncertainty)), number(timeText(s.predicted_seconds)),
      word(s.final ? 'final' : 'trial'), word(s.origin), number(s.trial || ''), structure, code(s.schedule_hash),
      word(moment(s.created)));
  });
  fillTable(root.querySelector('.best tbody'), rows, slot(root, 'best-more'));
}

function fillStructures(root, report) {
  put(root, 'structures-title', report.structures_by_origin ? 'Where schedules came from' : 'Structures that were tried');
  put(root, 'structure-column', report.structures_by_origin ? 'origin' : 'where functions are computed');
  put(root, 'structures-about', report.structures_by_origin ?
    'By origin, as the pipeline is not known here.' :
    count(report.structures.length, 'way') + ' to place the functions. Schedules of one differ in tile sizes, orders of ' +
    'loops, vectors and the like. What a row does not name is inlined.');
  const rows = report.structures.map((s, i) => row(
    number(i + 1), number(timeText(s.best_seconds)), number(s.trials), number(s.timed), number(s.first_trial || ''),
    element('td', s.text)));
  fillTable(root.querySelector('.structures tbody'), rows, slot(root, 'structures-more'));
}

function fillFailures(root, report) {
  put(root, 'failures-about', report.failures.length === 0 ? 'Nothing failed.' :
    'None of these can be chosen. A schedule that was ever wrong never counts.');
  slot(root, 'failures').append(...report.failures.map(function (kind) {
    const made = element('details');
    const head = element('summary');
    head.append(element('b', kind.count + ' ' + kind.outcome), ', ' + count(kind.messages.length, 'message'));
    made.append(head);
    for (const message of kind.messages) {
      made.append(element('div', count(message.count, 'time') +
        (message.first_trial ? ', first at trial ' + message.first_trial : ''), 'note'));
      made.append(element('pre', message.text || '(no message)'));
    }
    return made;
  }));
}

function fillFacts(root, report) {
  const created = report.trials.map((t) => t.created);
  const facts = {
    'target': report.target, 'machine': report.machine, 'threads': report.threads,
    'sizes': report.sizes.replaceAll(';', '; '),
    'algorithm': report.algorithm, 'versions': report.versions.join('; '),
    'measured (UTC)': created.length ? moment(created[0]) + ' to ' + moment(created[created.length - 1]) : '',
  };
  for (const [name, text] of Object.entries(facts)) {
    slot(root, 'facts').append(element('dt', name), element('dd', text));
  }
  root.querySelector('.runs tbody').append(...report.runs.map((run) => row(
    word(moment(run.started)), word(moment(run.ended) || '-'), element('td', run.stopped || 'killed, or running still'),
    element('td', optionsText(run.options)))));
}

/** {"trials": 112, "batch": 16} as "trials 112, batch 16". */
function optionsText(json) {
  try {
    return Object.entries(JSON.parse(json)).map(([key, value]) => key + ' ' + value).join(', ');
  } catch (error) {
    return json;
  }
}

// 3. The winner.

function fillWinner(root, report) {
  const winner = report.winner;
  if (report.missing) {
    put(root, 'missing', 'There is no loop nest, predicted cost or source here: ' + report.missing);
    show(root, 'missing');
  }
  if (!winner) return;
  show(root, 'winner');
  put(root, 'winner-text', 'Schedule ' + winner.schedule_hash + ' (' + winner.origin + '): ' + timeText(winner.seconds) +
    ' ± ' + percent(winner.uncertainty) + ' %' + (winner.samples ? ', median of ' + count(winner.samples, 'sample') : '') +
    (winner.verified_against ? '; its result is that of ' + winner.verified_against : '') +
    (winner.peak_bytes ? '; it allocates ' + (winner.peak_bytes / 1024).toFixed(0) + ' KiB at once' : '') + '.');
  const sources = { JSON: winner.json };
  if (winner.code) {
    fillCosts(root, winner);
    fillProfile(root, winner.code);
    put(root, 'loop-nest', winner.code.loop_nest);
    show(root, 'nest');
    Object.assign(sources, { 'C++': winner.code.cpp, 'Python': winner.code.python });
  }
  fillTabs(root.querySelector('.tabs'), ['C++', 'Python', 'JSON'].filter((name) => sources[name]), sources);
}

/** Rows: functions; columns: the terms that matter anywhere. */
function fillCosts(root, winner) {
  const { machine, seconds, functions } = winner.code.predicted;
  const table = root.querySelector('.costs');
  const terms = Object.keys(seconds).filter((t) => t !== 'total' && functions.some((f) => f.seconds[t] > 0.005 * seconds.total));
  // As many digits as give the total four; what would be zero with them is left out.
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(seconds.total * 1e3)));
  const milli = (s) => (Number((s * 1e3).toFixed(decimals)) > 0 ? (s * 1e3).toFixed(decimals) : '');
  const profiled = functions.some((f) => f.profiled_seconds);
  const costCells = (cost) => terms.map(function (term) {
    const cell = element('td', milli(cost[term]), 'number heat');
    cell.style.setProperty('--share', cost[term] / seconds.total);
    return cell;
  });
  table.tHead.append(row(element('th', 'function at root'), ...[...(profiled ? ['profiled'] : []), 'total', 'share', ...terms].map((t) => element('th', t, 'number'))));
  table.tBodies[0].append(...functions.map((f) => row(
    element('td', f.function), ...(profiled ? [number(milli(f.profiled_seconds))] : []), number(milli(f.seconds.total)),
    number((100 * f.seconds.total / seconds.total).toFixed(0) + ' %'), ...costCells(f.seconds))));
  table.tFoot.append(
    row(element('td', 'all, predicted'), ...(profiled ? [number('')] : []), number(milli(seconds.total)), number(''), ...terms.map((t) => number(milli(seconds[t])))),
    row(element('td', 'measured'), ...(profiled ? [number('')] : []), number(milli(winner.seconds)), number(''), ...terms.map(() => number(''))));
  put(root, 'costs-note', 'Milliseconds by cause, of each function at root with all that is computed in its loops. The ' +
    'model of this Nestor, for ' + machine + '. Measured is ' + times(winner.seconds / seconds.total) + ' of that.');
  show(root, 'costs');
}

/** What `--profile` measured. */
function fillProfile(root, code) {
  if (!code.profile_missing && code.profile.length === 0) return;
  const total = code.profile.reduce((sum, each) => sum + each.seconds, 0);
  put(root, 'profile-note', code.profile_missing ? 'It could not be profiled: ' + code.profile_missing :
    'By Halide’s sampling profiler, which slows small functions down: shares count, not the sum. Inlined functions are ' +
    'part of their consumers.');
  root.querySelector('.profile tbody').append(...code.profile.map(function (each) {
    const share = number((100 * each.seconds / total).toFixed(1) + ' %');
    share.classList.add('heat');
    share.style.setProperty('--share', each.seconds / total);
    return row(element('td', each.function), number(timeText(each.seconds)), share);
  }));
  root.querySelector('.profile').hidden = code.profile.length === 0;
  show(root, 'profile');
}

function fillTabs(tabs, names, sources) {
  const list = tabs.querySelector('[role=tablist]');
  const panels = names.map(function (name) {
    const panel = element('div', undefined, 'code');
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-label', name);
    panel.append(element('button', 'Copy', 'copy'), element('pre', sources[name]));
    return panel;
  });
  const select = (chosen) => names.forEach(function (_, i) {
    list.children[i].setAttribute('aria-selected', i === chosen);
    panels[i].hidden = i !== chosen;
  });
  names.forEach(function (name, i) {
    const tab = element('button', name);
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.addEventListener('click', () => select(i));
    list.append(tab);
  });
  tabs.append(...panels);
  select(0);
}

/** Pages opened from a file may have no clipboard: then the text is selected, and copied the old way. */
async function copy(button) {
  const text = button.parentElement.querySelector('pre');
  try {
    await navigator.clipboard.writeText(text.textContent);
  } catch (error) {
    getSelection().selectAllChildren(text);
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}

// 4. All of it.

function fillOverview(reports) {
  const overview = slot(document, 'overview');
  overview.hidden = false;
  overview.querySelector('tbody').append(...reports.map(function (report, i) {
    const link = element('a', report.pipeline);
    link.href = '#report-' + i;
    const name = element('td');
    name.append(link);
    return row(name, word(report.sizes), number(report.threads), number(timeText(report.best_seconds)),
      number(times(report.speed_up)), number(report.trials.length), word(report.machine));
  }));
}

function addReport(report, i) {
  const root = document.getElementById('report').content.cloneNode(true).firstElementChild;
  root.id = 'report-' + i;
  for (const fill of [fillHead, fillGains, fillBest, fillStructures, fillFailures, fillFacts, fillWinner]) {
    fill(root, report);
  }
  document.querySelector('main').append(root);
  const measured = report.trials.map((t) => t.seconds).filter((s) => s);
  return [
    plot(slot(root, 'curve'), slot(root, 'curve-log'), curveConfig, report, measured),
    plot(slot(root, 'scatter'), slot(root, 'scatter-log'), scatterConfig, report, measured),
  ];
}

function main() {
  const data = JSON.parse(document.getElementById('data').textContent);
  put(document, 'nestor', data.nestor);
  put(document, 'source', data.source);
  if (data.reports.length > 1) fillOverview(data.reports);
  const redraw = data.reports.flatMap(addReport);
  const redrawAll = () => redraw.forEach((draw) => draw());
  document.addEventListener('click', (event) => { if (event.target.matches('.copy')) copy(event.target); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);

  // On paper: dark on white, nothing folded away.
  let closed = [];
  addEventListener('beforeprint', function () {
    document.documentElement.dataset.print = '';
    closed = [...document.querySelectorAll('main details:not([open])')];
    closed.forEach((each) => { each.open = true; });
    redrawAll();
  });
  addEventListener('afterprint', function () {
    delete document.documentElement.dataset.print;
    closed.forEach((each) => { each.open = false; });
    redrawAll();
  });
}

main();
