"""Writes a labelled set for `node dist/test/services/web/measure.js FILE`: Presidio's research templates filled with made-up persons.

    python3 -m venv V && V/bin/pip install presidio-evaluator==0.3.2 --no-deps && V/bin/pip install faker pandas numpy pyyaml requests tqdm xmltodict
    V/bin/python test/services/web/labelled.py FILE [SENTENCES [SEED]]

The set stays outside of the repository. Presidio has no keys and tokens: those are made here, by the forms that their issuers document.
"""

import importlib.util
import json
import random
import string
import sys
import types
from pathlib import Path


PACKAGE = "presidio_evaluator"


class Plain:
    """In place of Presidio's own samples and spans: what it was made of."""

    def __init__(self, *values, **fields):
        self.values = values
        self.__dict__.update(fields)


def presidio():
    """Its generator alone: the package itself asks for models of a gigabyte."""
    root = Path(importlib.util.find_spec(PACKAGE).submodule_search_locations[0])
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(root)]
    package.InputSample = package.Span = Plain
    sys.modules[PACKAGE] = package
    data = types.ModuleType(f"{PACKAGE}.data_generator")
    data.__path__ = [str(root / "data_generator")]
    data.raw_data_dir = root / "data_generator" / "raw_data"
    sys.modules[f"{PACKAGE}.data_generator"] = data
    from presidio_evaluator.data_generator.presidio_sentence_faker import PresidioSentenceFaker

    return PresidioSentenceFaker


def some(alphabet, count):
    return "".join(random.choice(alphabet) for _ in range(count))


WORDS = string.ascii_letters + string.digits
KEYS = [
    lambda: "AKIA" + some(string.ascii_uppercase + string.digits, 16),
    lambda: some(WORDS + "+/", 40),
    lambda: "ghp_" + some(WORDS, 36),
    lambda: "github_pat_" + some(WORDS, 22) + "_" + some(WORDS, 59),
    lambda: "glpat-" + some(WORDS, 20),
    lambda: "sk-proj-" + some(WORDS, 48),
    lambda: "sk_live_" + some(WORDS, 24),
    lambda: "xoxb-" + some(string.digits, 11) + "-" + some(string.digits, 12) + "-" + some(WORDS, 24),
    lambda: "AIza" + some(WORDS + "-_", 35),
    lambda: some(string.digits, 10) + ":" + some(WORDS, 35),
    lambda: "eyJ" + some(WORDS, 33) + ".eyJ" + some(WORDS, 40) + "." + some(WORDS + "-_", 43),
    lambda: "hf_" + some(WORDS, 34),
    lambda: some("0123456789abcdef", 32),
    lambda: some("0123456789abcdef", 64),
    lambda: some(WORDS, 10) + random.choice("!#$%") + some(string.digits, 2),
]
SAID = ["my password is {}", "why is the api key {} refused", "{} does not work", "token: {} expired", "login with {} fails"]


def key_sentence():
    kind = random.randrange(len(KEYS))
    template = SAID[0] if kind == len(KEYS) - 1 else random.choice(SAID)
    key = KEYS[kind]()
    start = template.index("{}")
    return template.format(key), [{"type": "KEY", "start": start, "end": start + len(key)}]


def main(file, count=3000, seed=1):
    generator = presidio()
    # the file has line breaks as two signs, which stay two signs in Presidio's own sets
    lines = (Path(sys.modules[PACKAGE].__path__[0]) / "data_generator/raw_data/templates.txt").read_text("utf8").splitlines()
    templates = [line.strip().replace("\\n", "\n") for line in lines]
    faker = generator(locale="en_US", lower_case_ratio=0.05, sentence_templates=templates, random_seed=seed)
    faker.seed(seed)
    with open(file, "w", encoding="utf8") as out:
        for sample in faker.generate_new_fake_sentences(count):
            spans = [{"type": s.entity_type, "start": s.start_position, "end": s.end_position} for s in sample.spans]
            out.write(json.dumps({"text": sample.full_text, "spans": spans}, ensure_ascii=False) + "\n")
        for _ in range(count // 10):
            text, spans = key_sentence()
            out.write(json.dumps({"text": text, "spans": spans}) + "\n")


main(sys.argv[1], *map(int, sys.argv[2:]))
