#!/usr/bin/env python3
"""Checks every #include of src/ against the table in src/layers.txt.

The link checks the same table (cmake/NestorLayers.cmake), but sees only symbols: a header of a
forbidden layer that is used for its types alone shows here. Exit status 1 if an include is not allowed.
"""

import re
import sys
from pathlib import Path

# Headers that belong to an outside library, by the name in the table's third column.
OUTSIDE_HEADERS = {
    "halide": re.compile(r"(Halide.*\.h|HalideBuffer\.h)$"),
    "json": re.compile(r"nlohmann/"),
    "fmt": re.compile(r"fmt/"),
    "cli11": re.compile(r"CLI/"),
    "sqlite": re.compile(r"sqlite3|SQLiteCpp"),
    "yaml": re.compile(r"yaml-cpp/"),
    "xgboost": re.compile(r"xgboost/"),
    "eigen": re.compile(r"Eigen/"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def read_table(path):
    """{folder: (folders it may use, outside libraries)}, both closed under "may use"."""
    table = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        columns = [column.strip() for column in line.split("|")]
        if len(columns) != 3:
            sys.exit(f"{path}:{number}: not a row of three columns")
        folder, uses, outside = columns[0], columns[1].split(), set(columns[2].split())
        closed = {folder}
        for used in uses:
            if used not in table:
                sys.exit(f"{path}:{number}: {folder} uses {used}, which no row above defines")
            closed |= table[used][0]
            outside |= table[used][1]
        if unknown := outside - OUTSIDE_HEADERS.keys():
            sys.exit(f"{path}:{number}: unknown outside library: {', '.join(sorted(unknown))}")
        table[folder] = (closed, outside)
    return table


def errors_of(source, folder, table, root):
    """Yields one line for each include of `source` that the table does not allow."""
    folders, outside = table[folder]
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        where, header = f"{source.relative_to(root)}:{number}", match[2]
        for library, pattern in OUTSIDE_HEADERS.items():
            if library not in outside and pattern.match(header):
                yield f"{where}: {folder} may not include {header} ({library})"
        if match[1] != '"':
            continue
        first = header.split("/")[0]
        if header.startswith("."):
            yield f'{where}: include "{header}" from the root src/, not by a relative path'
        elif "/" in header and first in table and first not in folders:
            yield f"{where}: {folder} may not use {first}"
        elif "/" in header and first in table and not (root / "src" / header).is_file():
            yield f"{where}: no such file: src/{header}"


def main():
    root = Path(__file__).resolve().parent.parent
    table = read_table(root / "src" / "layers.txt")
    errors, sources = [], 0
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if folder.name not in table:
            errors.append(f"src/{folder.name}: not in src/layers.txt")
            continue
        for source in sorted(folder.rglob("*")):
            if source.suffix in (".h", ".cpp"):
                sources += 1
                errors.extend(errors_of(source, folder.name, table, root))
    print("\n".join(errors) if errors else f"layers: {sources} files keep to src/layers.txt")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
