.PHONY: build
.venv/bin/python:
	python3 -m venv .venv

build: .venv/bin/python
	.venv/bin/pip install -q scikit-build-core nanobind
	.venv/bin/pip install -q --no-build-isolation -e '.[test,lint]'
