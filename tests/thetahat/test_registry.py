from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

import thetahat
from thetahat.errors import InvalidParameter
from thetahat.registry import Registry

METHOD = """
from thetahat.registry import MethodInfo


class {name}:
    info = MethodInfo({wire}title="T", summary="S.")
"""


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out a package ``things`` with a base, a private module and two methods."""
    folder = tmp_path / "things"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "base.py").write_text("")
    (folder / "_private.py").write_text("raise RuntimeError('never imported')")
    (folder / "one.py").write_text(METHOD.format(name="One", wire=""))
    (folder / "another.py").write_text(METHOD.format(name="Another", wire=""))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.split(".")[0] == "things"]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def collect(family: Path) -> Registry[type]:
    return Registry.collect("things", [str(family)])


def test_exact_collects_the_public_modules_in_order(family: Path) -> None:
    registry = collect(family)

    assert list(registry) == ["another", "one"]
    assert len(registry) == 2
    assert registry.family == "things"
    assert registry["one"].__name__ == "One"
    assert registry.get_method("one") is registry["one"]


def test_exact_a_method_s_module_is_imported_when_the_method_is_wanted(family: Path) -> None:
    registry = collect(family)
    both: Registry[type] = Registry("both", registry, {"more": int})

    assert list(both) == ["another", "more", "one"]
    assert "one" in registry
    assert "two" not in registry
    with pytest.raises(InvalidParameter, match="another, one"):
        registry.get_method("two")
    assert imported() == set()
    assert both["more"] is int
    assert both["one"] is registry["one"]
    assert imported() == {"things.one"}
    assert [name for name, _ in registry.items()] == ["another", "one"]
    assert imported() == {"things.one", "things.another"}


def imported() -> set[str]:
    return {name for name in sys.modules if name.startswith("things.")}


def test_exact_of_two_methods_of_one_name_the_later_part_s_is_taken() -> None:
    registry: Registry[type] = Registry("both", {"a": int, "b": int}, {"b": str})

    assert dict(registry) == {"a": int, "b": str}


def test_invalid_name_of_no_method_is_a_key_error(family: Path) -> None:
    with pytest.raises(KeyError, match="two"):
        collect(family)["two"]


def test_invalid_name_lists_the_known_names(family: Path) -> None:
    with pytest.raises(InvalidParameter, match="'two' is not one of the things: another, one") as e:
        collect(family).get_method("two", loc=("tests", 0))

    assert e.value.loc == ("tests", 0)
    assert e.value.value == "two"
    with pytest.raises(InvalidParameter, match="none yet"):
        Registry("things", {}).get_method("two")


def test_invalid_module_whose_name_is_not_its_method_s(family: Path) -> None:
    (family / "third.py").write_text(METHOD.format(name="Third", wire="name='3rd', "))

    with pytest.raises(RuntimeError, match=r"things\.third registers '3rd'"):
        collect(family)["third"]


@pytest.mark.parametrize(
    "text", ["", METHOD.format(name="A", wire="") * 2 + "class B(A): info = A.info"]
)
def test_invalid_module_without_one_method(family: Path, text: str) -> None:
    (family / "third.py").write_text(text)

    with pytest.raises(RuntimeError, match=r"things\.third must have one class with an info"):
        collect(family)["third"]


def test_invalid_to_change_it(family: Path) -> None:
    with pytest.raises(TypeError):
        collect(family)["two"] = object  # type: ignore[index]


def registries() -> dict[str, tuple[ModuleType, Registry[type]]]:
    modules = {}
    for module in iter_modules(thetahat.__path__, f"{thetahat.__name__}."):
        if not module.ispkg:
            continue
        package = import_module(module.name)
        # a family has its interface in base; a package without one only borrows registries
        if "base" not in {part.name for part in iter_modules(package.__path__)}:
            continue
        for value in vars(package).values():
            # what a request may name besides is another family's, lent under the list's name
            if isinstance(value, Registry) and value.family == module.name.rpartition(".")[2]:
                modules[value.family] = (package, value)
    return modules


@pytest.mark.parametrize("family_name", registries())
def test_property_a_family_s_files_are_its_wire_names(family_name: str) -> None:
    package, registry = registries()[family_name]
    files = {module.name for module in iter_modules(package.__path__) if not module.ispkg}

    assert set(registry) == {f for f in files if f != "base" and not f.startswith("_")}
    for name, method in registry.items():
        assert method.info.name == name  # type: ignore[attr-defined]
        assert method.__module__ == f"{package.__name__}.{name}"
