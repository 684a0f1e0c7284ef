"""Pictures, films and diagrams as files; what happens without display or graphics."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import imageio.v2 as imageio
import numpy as np
import pytest

from femlie.errors import ViewError
from femlie.view import Look, animate, plot, plot_history, window
from femlie.view.picture import Picture
from tests.unit.view import stand_ins

SMALL = Look(size=(320, 240))
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module", autouse=True)
def _needs_graphics():
    try:
        window.renderer()
    except ViewError as error:
        pytest.skip(str(error))


def hue_is_present(image, red, green, blue):
    """Whether some pixels are nearly a color."""
    distance = np.abs(image.astype(int) - (red, green, blue)).max(axis=-1)
    return np.any(distance < 40)


def test_a_picture_shows_the_model_on_white(tmp_path):
    path = plot(stand_ins.swaying_frame(), look=SMALL).save(tmp_path / "frame.png")
    image = imageio.imread(path)
    assert image.shape == (240, 320, 3)
    assert np.all(image[2, 2] == 255)
    assert hue_is_present(image, 46, 139, 87)  # supports
    assert hue_is_present(image, 214, 39, 40)  # the force


def test_colors_run_from_the_root_to_the_tip():
    look = Look(size=(640, 480), shows_glyphs=False)
    image = plot(stand_ins.bent_cantilever(), look=look).image()
    field = image[:, : int(0.79 * 640)]
    assert hue_is_present(field, 48, 18, 59)  # the least of the map, at the root
    assert hue_is_present(field, 122, 4, 3)  # the most, at the tip


def test_a_film_has_the_frames_that_were_asked_for(tmp_path):
    path = animate(
        stand_ins.slider_crank(),
        tmp_path / "crank.gif",
        frames_per_second=5,
        length=2.0,
        look=SMALL,
    )
    assert len(imageio.mimread(path)) == 10


def test_a_film_can_be_mp4(tmp_path):
    results = stand_ins.bouncing_spring(n_times=6)
    path = animate(
        results, tmp_path / "spring.mp4", frames_per_second=5, length=1.0, look=SMALL
    )
    with imageio.get_reader(path) as film:
        assert film.count_frames() == 5
        assert film.get_meta_data()["size"] == (320, 240)


def test_diagrams_are_written(tmp_path):
    results = stand_ins.slider_crank()
    results.records.energies[:, 0] = 1.0
    path = plot_history(results, ["energy", 5], tmp_path / "history.png")
    image = imageio.imread(path)
    assert image.shape[0] > 600
    assert image[..., :3].min() < 100


@pytest.mark.parametrize(
    ("names", "message"),
    [("enrgy", "energy"), ([], "no names"), ("wire", "161 nodes")],
)
def test_diagrams_of_what_does_not_exist_are_refused(names, message, tmp_path):
    with pytest.raises(ViewError, match=message):
        plot_history(stand_ins.bouncing_spring(3), names, tmp_path / "history.png")


@pytest.mark.parametrize("name", ["picture.txt", "picture", "missing/picture.png"])
def test_files_that_cannot_be_written_are_refused(name, tmp_path):
    with pytest.raises(ViewError, match="cannot be written"):
        plot(stand_ins.bent_cantilever(), look=SMALL).save(tmp_path / name)


def test_a_film_of_one_state_is_refused(tmp_path):
    with pytest.raises(ViewError, match="two or more"):
        animate(stand_ins.bent_cantilever(n_times=1), tmp_path / "film.gif")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="always a display")
def test_show_without_a_display_says_to_save(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(ViewError, match=r"--save FILE\.png .* save\(path\)"):
        plot(stand_ins.bent_cantilever(), look=SMALL).show()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="always a display")
def test_show_on_a_display_that_does_not_answer_says_to_save(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(ViewError, match=r"save\(path\)"):
        plot(stand_ins.bent_cantilever(), look=SMALL).show()


def test_an_error_while_drawing_closes_the_window(monkeypatch):
    closed = []
    close = window.Canvas.close
    monkeypatch.setattr(
        window.Canvas, "close", lambda self: (closed.append(self), close(self))
    )
    monkeypatch.setattr(Picture, "image", _failing_image)
    with pytest.raises(ZeroDivisionError):
        plot(stand_ins.bent_cantilever(), look=SMALL).image()
    assert len(closed) == 1


def _failing_image(self):
    with self._canvas():
        return 1 / 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux libraries")
def test_without_graphics_libraries_the_package_to_install_is_named(monkeypatch):
    monkeypatch.setattr(window, "_window_class", lambda _: window.SOFTWARE_WINDOW)
    monkeypatch.setattr(window, "_can_load", lambda _: False)
    monkeypatch.setattr(window, "renderer", window.renderer.__wrapped__)
    with pytest.raises(ViewError, match="libegl1"):
        plot(stand_ins.bent_cantilever(), look=SMALL).image()


def _loaded_library(name):
    ctypes.CDLL(name)
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return next(line.split()[-1] for line in lines if "libEGL.so" in line)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("unshare") is None, reason="cannot hide a library")
def test_a_machine_without_egl_gets_an_error_instead_of_a_crash(tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    library = _loaded_library("libEGL.so.1")
    hide = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    mount = f"mount --bind {empty} {library}"
    if subprocess.run([*hide, mount], capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let a process hide a file from itself")
    script = (
        "from femlie.errors import ViewError\n"
        "from femlie.view import plot\n"
        "from tests.unit.view import stand_ins\n"
        "try:\n"
        "    plot(stand_ins.bent_cantilever()).image()\n"
        "except ViewError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [*hide, f"{mount} && exec {sys.executable} -c '{script}'"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if key != "DISPLAY"},
    )
    assert "libegl1" in done.stdout
    assert done.stderr == ""


def test_the_viewer_imports_nothing_heavy_before_it_draws():
    script = (
        "import sys, femlie.view; "
        "print([m for m in ('pyvista', 'vtkmodules', 'matplotlib', 'imageio') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.strip() == "[]"


def _resident_megabytes():
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_many_pictures_and_a_film_leave_memory_flat(tmp_path):
    results = stand_ins.slider_crank()
    look = Look(size=(480, 352))
    film = {"frames_per_second": 10, "length": 2.0, "look": look}
    for _ in range(10):
        plot(results, look=look).image()
    animate(results, tmp_path / "first.gif", **film)
    before = _resident_megabytes()
    for number in range(300):
        plot(results, time=results.times[number % 24], look=look).image()
    animate(results, tmp_path / "film.gif", **film)
    assert _resident_megabytes() - before < 50.0
