"""The named checks: ``nox -l`` lists them, ``nox -s ci`` runs one in its own environment.

What a tier of the tests holds says ``tests/tiers.py``; what follows ``--`` goes to pytest.
"""

import shutil

import nox

nox.options.sessions = ["style", "default"]


@nox.session
def style(session: nox.Session) -> None:
    """Style, plain English, strict types, the one-way imports."""
    if session.virtualenv.is_sandboxed:
        session.install(".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("python", "-m", "docs.plain_english")
    session.run("mypy")
    session.run("lint-imports", "--no-logo", "--no-cache")


@nox.session
def default(session: nox.Session) -> None:
    """Every kind of test once: what `python -m pytest` runs."""
    tier(session, "default", ".[test]")


@nox.session
def ci(session: nox.Session) -> None:
    """What .ci/run adds: longer tests."""
    tier(session, "ci", ".[test,notebook]")


@nox.session
def site(session: nox.Session) -> None:
    """The documentation as a site, in build/site: a warning or a broken link is an error."""
    session.install(".[docs]")
    session.run("python", "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", ".", "build/site")


@nox.session(python=False)
def slides(session: nox.Session) -> None:
    """The slides for teachers as one page, build/teaching/slides.html; needs Node.js."""
    shutil.copytree("docs/pictures", "build/pictures", dirs_exist_ok=True)
    page = ("docs/teaching/slides.md", "--output", "build/teaching/slides.html")
    session.run("npx", "--yes", "@marp-team/marp-cli@4.5.1", *page, external=True)


@nox.session
def playground(session: nox.Session) -> None:
    """The playground, in build/playground: it needs Node.js, wasm-ld, and the registries of npm and PyPI."""
    session.install(".")
    session.run("python", "-m", "vecsim", "playground", "--out", "build/playground")


@nox.session
def browser(session: nox.Session) -> None:
    """The pages in Chromium, which must be installed."""
    tier(session, "browser", ".[test,browser,teach,docs]")


@nox.session
def gpu(session: nox.Session) -> None:
    """All that needs an NVIDIA GPU."""
    tier(session, "gpu", ".[test,gpu]")


@nox.session
def nightly(session: nox.Session) -> None:
    """What takes hours, or NVIDIA's compiler; many examples."""
    tier(session, "nightly", ".[test,gpu]")


def tier(session: nox.Session, name: str, package: str) -> None:
    """Run a tier of the tests with what it needs."""
    session.install(package)
    session.run("python", "-m", "pytest", f"--tier={name}", *session.posargs)
