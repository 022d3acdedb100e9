"""Reports of the hand-made studies, written once for all tests."""

from collections.abc import Callable
from pathlib import Path

import pytest
import study_samples as samples

from linkworth.model.study import RunRecord, Study
from linkworth.report.files import write_files
from linkworth.report.study.contents import contents
from linkworth.report.study.request import Outputs, StudyReport, render, report
from linkworth.report.study.results import Results
from linkworth.report.table import Section
from linkworth.skeleton.progress import SilentProgress

Once = Callable[[str, Callable[[Path], object]], Path]
Sample = tuple[Study, list[RunRecord]]


def write(sample: Sample, folder: Path, **more: object) -> StudyReport:
    study, records = sample
    return report(
        study,
        records,
        outputs=Outputs(folder / "report.html", folder / "files"),
        progress=SilentProgress(),
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture(scope="session")
def interconnects() -> Results:
    return Results(*samples.interconnects(), samples.profiles())


@pytest.fixture(scope="session")
def interconnects_sections(interconnects: Results) -> dict[str, Section]:
    return {section.key: section for section in contents(interconnects)}


@pytest.fixture(scope="session")
def networks_sections() -> dict[str, Section]:
    return {section.key: section for section in contents(Results(*samples.networks()))}


@pytest.fixture(scope="session")
def networks_folder(once: Once, networks_sections: dict[str, Section]) -> Path:
    def make(folder: Path) -> None:
        write_files(list(networks_sections.values()), folder, ["csv", "latex", "parquet"])
        write_files([networks_sections["by-mtu"]], folder, ["svg", "png", "pdf"])

    return once("networks", make)


@pytest.fixture(scope="session")
def study_page(once: Once, interconnects: Results, interconnects_sections: dict[str, Section]) -> Path:
    sections = list(interconnects_sections.values())
    return once("study.html", lambda path: path.write_bytes(render(interconnects, sections)))


@pytest.fixture(scope="session")
def hostile_folder(once: Once) -> Path:
    return once("hostile-study", lambda folder: write(samples.hostile(), folder))
