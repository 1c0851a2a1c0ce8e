# SPDX-License-Identifier: Apache-2.0
"""Says at the end how many of the cases came out as expected."""
import case_files


def pytest_terminal_summary(terminalreporter):
    files = {}
    for outcome in ("passed", "failed", "error"):
        for report in terminalreporter.getreports(outcome):
            for key, value in getattr(report, "user_properties", []):
                if key == "files" and report.when == "call":
                    files[report.nodeid] = (value, outcome == "passed")
    good = sum(count for count, passed in files.values() if passed)
    every = sum(len(group) for group in case_files.cases().values())
    if not every:
        terminalreporter.write_line(f"cases: there are none in {case_files.FOLDER}; nothing was tested")
    terminalreporter.write_line(f"cases: {good} of {every}")
