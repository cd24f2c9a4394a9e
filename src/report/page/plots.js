// The two plots of a report, by Chart.js.
'use strict';

/** "1.234 ms", "850 us", "-" for none: as nestor prints it. */
function timeText(seconds) {
  if (!(seconds > 0)) return '-';
  if (seconds < 1e-3) return Number((seconds * 1e6).toPrecision(3)) + ' us';
  if (seconds < 1) return Number((seconds * 1e3).toPrecision(4)) + ' ms';
  return Number(seconds.toPrecision(4)) + ' s';
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/** 1, 2 and 5 times powers of ten between two values; over a short range their multiples, too. */
function logarithmicTicks(low, high) {
  const digits = high < 4 * low ? [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9] : high < 100 * low ? [1, 2, 3, 5] : [1];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    ticks.push(...digits.map((digit) => ({ value: Number((digit * 10 ** power).toPrecision(2)) })));
  }
  return ticks.filter((tick) => tick.value >= low && tick.value <= high);
}

/** A scale of times. */
function timeScale(title, logarithmic, values) {
  const [low, high] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
  const scale = {
    type: logarithmic ? 'logarithmic' : 'linear',
    title: { display: true, text: title, color: colour('soft') },
    ticks: { callback: (value) => timeText(value), color: colour('soft'), maxTicksLimit: 9, maxRotation: 0 },
    grid: { color: colour('rule'), borderColor: colour('rule') },
  };
  if (values.length === 0) return scale;
  if (!logarithmic) return { ...scale, min: 0, suggestedMax: high };
  return { ...scale, min: low, max: high, afterBuildTicks: (axis) => { axis.ticks = logarithmicTicks(low, high); } };
}

function commonOptions(scales, describe) {
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'nearest', intersect: true },
    plugins: {
      legend: { labels: { color: colour('ink'), usePointStyle: true, boxWidth: 8, boxHeight: 8 } },
      tooltip: { callbacks: { title: () => '', label: (item) => describe(item.raw.trial) } },
    },
    scales,
  };
}

function describeTrial(trial) {
  if (!trial) return [];
  const time = trial.seconds ? timeText(trial.seconds) : trial.outcome;
  return ['trial ' + trial.number + ': ' + time, 'predicted ' + timeText(trial.predicted_seconds), trial.origin];
}

/** Points of trials that were timed and count, the rest of those timed, and those that failed. */
function groupsOf(report) {
  return {
    timed: report.trials.filter((t) => t.seconds && !t.withdrawn),
    withdrawn: report.trials.filter((t) => t.withdrawn),
    failed: report.trials.filter((t) => !t.seconds),
  };
}

function pointStyle(name, extra) {
  return { showLine: false, clip: 8, borderColor: colour(name), backgroundColor: colour(name), pointRadius: 2.5, ...extra };
}

function curveConfig(report, logarithmic) {
  const groups = groupsOf(report);
  const point = (t) => ({ x: t.number, y: t.seconds, trial: t });
  const last = report.trials.length;
  const datasets = [
    { label: 'measured', data: groups.timed.map(point), ...pointStyle('dot') },
    {
      label: 'best so far', stepped: true, showLine: true, pointRadius: 0, borderWidth: 2,
      borderColor: colour('accent'), backgroundColor: colour('accent'), pointStyle: 'line',
      data: report.trials.filter((t) => t.best_seconds).map((t) => ({ x: t.number, y: t.best_seconds, trial: t })),
    },
  ];
  if (groups.withdrawn.length) {
    datasets.push({ label: 'found wrong later', data: groups.withdrawn.map(point),
      ...pointStyle('bad', { pointStyle: 'triangle', pointRadius: 4 }) });
  }
  if (report.winner && report.winner.final) {
    const at = { y: report.winner.seconds, trial: null };
    datasets.push({ label: 'winner, timed at the end', data: [{ x: 1, ...at }, { x: last, ...at }],
      showLine: true, pointRadius: 0, pointHitRadius: 0, borderDash: [5, 4], borderWidth: 1.5,
      borderColor: colour('ink'), backgroundColor: colour('ink'), pointStyle: 'line' });
  }
  if (groups.failed.length) {
    datasets.push({ label: 'failed', yAxisID: 'failures',
      data: groups.failed.map((t) => ({ x: t.number, y: 0, trial: t })),
      ...pointStyle('bad', { pointStyle: 'crossRot', pointRadius: 5, borderWidth: 1.5 }) });
  }
  const values = report.trials.map((t) => t.seconds).filter((s) => s);
  const scales = {
    x: { type: 'linear', min: 1, max: Math.max(2, last), title: { display: true, text: 'trial', color: colour('soft') },
      ticks: { color: colour('soft'), precision: 0, maxRotation: 0 },
      grid: { color: colour('rule'), borderColor: colour('rule') } },
    y: timeScale('measured', logarithmic, values),
    failures: { axis: 'y', type: 'linear', display: false, min: 0, max: 1 },
  };
  return { type: 'scatter', data: { datasets }, options: commonOptions(scales, describeTrial) };
}

function scatterConfig(report, logarithmic) {
  const known = groupsOf(report).timed.filter((t) => t.predicted_seconds);
  const measured = known.map((t) => t.seconds);
  const predicted = known.map((t) => t.predicted_seconds);
  const ends = [Math.min(...measured, ...predicted), Math.max(...measured, ...predicted)];
  const winner = report.winner && report.winner.schedule_hash;
  const point = (t) => ({ x: t.predicted_seconds, y: t.seconds, trial: t });
  const datasets = [
    { label: 'winner', data: known.filter((t) => t.schedule_hash === winner).map(point),
      ...pointStyle('accent', { pointRadius: 6, pointStyle: 'rectRot' }) },
    { label: 'trials', data: known.filter((t) => t.schedule_hash !== winner).map(point), ...pointStyle('dot') },
    { label: 'as predicted', data: known.length ? ends.map((s) => ({ x: s, y: s, trial: null })) : [],
      showLine: true, pointRadius: 0, pointHitRadius: 0, borderDash: [5, 4], borderWidth: 1,
      borderColor: colour('soft'), backgroundColor: colour('soft'), pointStyle: 'line' },
  ];
  const scales = {
    x: timeScale('predicted', logarithmic, predicted),
    y: timeScale('measured', logarithmic, measured),
  };
  return { type: 'scatter', data: { datasets }, options: commonOptions(scales, describeTrial) };
}

/** A plot whose scale a checkbox chooses; yields what draws it again, in the colours of the moment. */
function plot(canvas, box, config, report, values) {
  box.checked = values.length > 0 && Math.max(...values) > 3 * Math.min(...values);
  let chart = null;
  const draw = function () {
    if (chart) chart.destroy();
    chart = new Chart(canvas, config(report, box.checked));
  };
  box.addEventListener('change', draw);
  draw();
  return draw;
}
