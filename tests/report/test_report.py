"""`nestor report`, its page in a browser: it shows what was recorded, needs no network, and survives hostile texts."""

import json

import pytest
from conftest import nestor, refused

EVIL = "<script>window.evil = 1</script><img src=x onerror='window.evil = 1'>\"&"
# Of each canvas, how many pixels are not empty and how many colours these have.
DRAWN = """[...document.querySelectorAll('canvas')].map(function (canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  let pixels = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 0) { pixels++; colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]); }
  }
  return [pixels, colours.size];
})"""


@pytest.fixture
def shown(browser, tmp_path):
    """Opens the report of records; yields it as JSON."""

    def show(records, *options):
        path = records.write(tmp_path)
        page = tmp_path / "report.html"
        assert nestor("report", path, "-o", page, *options) == f"{page}\n"
        browser.look()
        browser.open(page)
        return json.loads(nestor("report", path, "--json", *options))

    return show


def rows(browser, table):
    return browser.evaluate(f"document.querySelectorAll('{table} tbody tr').length")


def text(browser, selector="body"):
    return browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")


def add_another_task(records, **changes):
    """The same again with another key."""
    for line in records.copy().lines:
        if "nestor_records" not in line:
            line[next(iter(line))]["task"].update(changes)
            records.lines.append(line)


def check_quiet(browser):
    """No complaint, no request but that of the page itself."""
    assert browser.complaints() == []
    assert [url.split(":")[0] for url in browser.requests()] == ["file"]


def test_shows_what_was_recorded(browser, shown, tuned):
    (report,) = shown(tuned)
    check_quiet(browser)
    best = report["best"]
    assert len(best) >= 5 and report["winner"]["schedule_hash"] == best[0]["schedule_hash"]
    assert rows(browser, ".best") == min(10, len(best))
    assert rows(browser, ".structures") == min(10, len(report["structures"]))
    assert rows(browser, ".gains") == sum(trial["is_gain"] for trial in report["trials"])
    assert rows(browser, ".runs") == 1
    assert rows(browser, ".costs") == len(report["winner"]["code"]["predicted"]["functions"])
    assert text(browser, "h1[data-slot=pipeline]") == "blur"
    assert text(browser, "[data-slot=trials]") == "14"
    assert text(browser, "[data-slot=loop-nest]").strip() == report["winner"]["code"]["loop_nest"].strip()
    assert "all trials were made" in text(browser, ".runs")
    assert report["machine"] in text(browser) and report["target"] in text(browser)
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_draws_both_plots_light_and_dark(browser, shown, tuned):
    shown(tuned)
    pictures = []
    for dark in (False, True):
        browser.look(dark=dark)
        browser.evaluate("new Promise(done => setTimeout(done, 100))")
        drawn = browser.evaluate(DRAWN)
        assert len(drawn) == 2
        for pixels, colours in drawn:
            assert pixels > 2000 and colours > 10
        pictures.append(browser.evaluate("[...document.querySelectorAll('canvas')].map(c => c.toDataURL())"))
    assert all(light != dark for light, dark in zip(*pictures))
    # The other scale is another picture.
    browser.evaluate("document.querySelector('[data-slot=curve-log]').click()")
    curve, scatter = browser.evaluate("[...document.querySelectorAll('canvas')].map(c => c.toDataURL())")
    assert curve != pictures[1][0] and scatter == pictures[1][1]
    check_quiet(browser)


def test_buttons(browser, shown, tuned):
    records = tuned.copy()
    good = next(r for r in records.members("record") if r["outcome"] == "timed")
    for i in range(20):
        records.add(good, kind="trial", schedule_hash=f"{i:016x}", seconds=1 + i)
    (report,) = shown(records)
    assert rows(browser, ".best") == 10
    browser.evaluate("document.querySelector('[data-slot=best-more]').click()")
    assert rows(browser, ".best") == len(report["best"]) > 20
    assert browser.evaluate("document.querySelector('[data-slot=best-more]').hidden")
    visible = "[...document.querySelectorAll('[role=tabpanel]')].filter(p => !p.hidden).map(p => p.ariaLabel)"
    assert browser.evaluate(visible) == ["C++"]
    browser.evaluate("document.querySelectorAll('[role=tab]')[1].click()")
    assert browser.evaluate(visible) == ["Python"]
    browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.evaluate("document.querySelector('[role=tabpanel]:not([hidden]) .copy').click()")
    browser.evaluate("new Promise(done => setTimeout(done, 200))")
    assert browser.evaluate("document.querySelector('[role=tabpanel]:not([hidden]) .copy').textContent") == "Copied"
    check_quiet(browser)


def test_failures(browser, shown, tuned):
    records = tuned.copy()
    like = records.members("record")[0]
    for i, outcome in enumerate(["crash", "crash", "wrong"]):
        records.add(like, kind="trial", schedule_hash=f"{i:016x}", outcome=outcome, message=f"because of {outcome}",
                    seconds=0)
    (report,) = shown(records)
    assert text(browser, "[data-slot=failed]") == "3"
    assert text(browser, "[data-slot=failed-note]") == "2 crash, 1 wrong"
    assert rows(browser, ".best") == min(10, len(report["best"]))
    # A mark each, on the axis.
    chart = "Chart.getChart(document.querySelector('[data-slot=curve]'))"
    series = f"{chart}.data.datasets.findIndex(d => d.label === 'failed')"
    marks = browser.evaluate(f"{chart}.getDatasetMeta({series}).data.map(p => p.y - {chart}.chartArea.bottom)")
    assert marks == [0, 0, 0]
    browser.evaluate("document.querySelectorAll('.failures details').forEach(d => { d.open = true })")
    assert "because of crash" in text(browser, ".failures") and "because of wrong" in text(browser, ".failures")
    check_quiet(browser)


def test_nothing_but_failures(browser, shown, tuned):
    records = tuned.copy()
    records.lines = [line for line in records.lines if line.get("record", {}).get("kind") != "final"]
    for record in records.members("record"):
        record.update(outcome="crash", message="because", seconds=0)
    (report,) = shown(records)
    assert report["winner"] is None and report["best_seconds"] is None
    assert text(browser, "[data-slot=failed]") == text(browser, "[data-slot=trials]") == "14"
    assert text(browser, "[data-slot=best-time]") == "-"
    assert browser.evaluate("document.querySelector('[data-slot=winner]').hidden")
    assert rows(browser, ".best") == 0
    check_quiet(browser)


def test_profile_says_where_the_measured_time_goes(browser, shown, tuned):
    (report,) = shown(tuned, "--profile")
    profile = report["winner"]["code"]["profile"]
    assert report["winner"]["code"]["profile_missing"] == ""
    assert "output" in [each["function"] for each in profile]
    # Each of a run, not of all runs; the profiler itself costs some.
    assert sum(each["seconds"] for each in profile) < 20 * report["best_seconds"]
    (root,) = [f for f in report["winner"]["code"]["predicted"]["functions"] if f["function"] == "output"]
    assert root["profiled_seconds"] > 0
    assert rows(browser, ".profile") > 0 and not browser.evaluate("document.querySelector('[data-slot=profile]').hidden")
    assert "profiled" in text(browser, ".costs thead")
    check_quiet(browser)


def test_profile_is_of_the_machine_that_tuned(browser, shown, tuned):
    records = tuned.copy()
    for line in records.lines:
        if "nestor_records" not in line:
            line[next(iter(line))]["task"]["machine"] = "another machine"
    (report,) = shown(records, "--profile")
    assert report["winner"]["code"]["profile"] == []
    assert "measured on another machine" in text(browser, "[data-slot=profile-note]")
    check_quiet(browser)


def test_hostile_texts_are_only_text(browser, shown, tuned):
    records = tuned.copy()
    like = records.members("record")[0]
    records.add(like, kind="trial", schedule_hash="0" * 16, outcome=EVIL, message=EVIL, origin=EVIL, seconds=0)
    for record in records.members("record"):
        record.update(origin=EVIL, versions=EVIL)
        record["task"].update(machine=EVIL)
    for member in ("run", "pipeline"):
        for each in records.members(member):
            each["task"].update(machine=EVIL)
    for run in records.members("run"):
        run.update(stopped=EVIL, options=json.dumps({EVIL: EVIL}))
    records.rename(EVIL)
    shown(records)
    assert browser.evaluate("window.evil === undefined")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("document.title") == EVIL + ": tuning report"
    assert text(browser, "h1[data-slot=pipeline]") == EVIL
    check_quiet(browser)


def test_without_the_pipeline(browser, shown, tuned):
    records = tuned.copy()
    records.leave_out("pipeline")
    (report,) = shown(records)
    assert "the pipeline is not in the records file" in text(browser, ".missing")
    assert browser.evaluate("document.querySelector('[data-slot=nest]').hidden")
    assert browser.evaluate("[...document.querySelectorAll('[role=tab]')].map(t => t.textContent)") == ["JSON"]
    assert rows(browser, ".best") == min(10, len(report["best"]))
    check_quiet(browser)


def test_several_tasks_are_several_sections(browser, shown, tuned):
    records = tuned.copy()
    add_another_task(records, threads=77)
    assert len(shown(records)) == 2
    assert rows(browser, "nav") == 2
    assert browser.evaluate("document.querySelectorAll('article').length") == 2
    assert browser.evaluate("document.querySelectorAll('canvas').length") == 4
    check_quiet(browser)


def test_chosen_task(browser, shown, tuned):
    records = tuned.copy()
    add_another_task(records, threads=77)
    (report,) = shown(records, "--threads", "77")
    assert report["threads"] == 77
    assert browser.evaluate("document.querySelectorAll('article').length") == 1


def test_on_a_phone_and_on_paper(browser, shown, tuned, tmp_path):
    shown(tuned)
    browser.look(width=390, phone=True)
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    assert browser.evaluate("Math.max(...[...document.querySelectorAll('canvas')].map(c => c.offsetWidth))") <= 390
    browser.look(dark=True)
    folded = "document.querySelectorAll('main details:not([open])').length"
    background = "getComputedStyle(document.body).backgroundColor"
    assert browser.evaluate(folded) > 0
    browser.evaluate(f"addEventListener('beforeprint', () => {{ window.paper = [{folded}, {background}] }})")
    browser.print(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert browser.evaluate("window.paper") == [0, "rgb(255, 255, 255)"]
    assert browser.evaluate(folded) > 0 and browser.evaluate(background) != "rgb(255, 255, 255)"
    check_quiet(browser)


def test_explain_shows_the_same_in_a_terminal(tuned, tmp_path):
    path = tuned.write(tmp_path)
    (report,) = json.loads(nestor("report", path, "--json"))
    shown = nestor("explain", "--records", path)
    for line in report["winner"]["code"]["loop_nest"].splitlines():
        assert f"  {line}\n" in shown
    assert report["winner"]["schedule_hash"] in shown
    assert report["structures"][0]["text"] in shown
    for trial in report["trials"]:
        if trial["is_gain"]:
            assert f"\n{trial['number']} " in shown


def test_two_tasks_are_told_apart_in_a_terminal(tuned, tmp_path):
    records = tuned.copy()
    add_another_task(records, threads=77)
    path = records.write(tmp_path)
    assert "--threads 77" in refused("explain", "--records", path)
    assert ", threads: 77\n" in nestor("explain", "--records", path, "--threads", "77")


@pytest.mark.parametrize("command", [["report"], ["explain", "--records"]], ids=lambda c: c[0])
def test_bad_input(command, tuned, tmp_path):
    path = tuned.write(tmp_path)
    (tmp_path / "text.db").write_text("no records")
    assert "none.db" in refused(*command, tmp_path / "none.db")
    assert "text.db" in refused(*command, tmp_path / "text.db")
    assert "no such records" in refused(*command, path, "--pipeline", "another")
    assert not (tmp_path / "report.html").exists()


def test_page_that_cannot_be_written(tuned, tmp_path):
    path = tuned.write(tmp_path)
    assert "no/folder" in refused("report", path, "-o", tmp_path / "no/folder/report.html")


def test_explain_takes_one_source():
    assert "--records" in refused("explain", status=2)
    assert "--records" in refused("explain", "--records", "tuned.db", "harris.hlpipe", status=2)
    assert "--records" in refused("explain", "harris.hlpipe", "--threads", "2", status=2)
