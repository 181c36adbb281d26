"""Write what is generated of the docs: pages of games by name, commands, fields, invariants
and results, schemas, and pictures."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from bench.reproduce import page
from bench.reproduce.results import Results
from dealmill.pipeline.games.playback import Playback
from dealmill.pipeline.outputs.pack import Pack
from tests.docs import by_name, commands, fields, grades, invariants, pictures, rules_keys, thresholds

for module in (by_name, commands, fields, invariants, page, rules_keys, thresholds):
    module.PAGE.write_text(module.page())
for path, svg in pictures.pictures().items():
    path.write_text(svg)
MODELS: dict[str, type[BaseModel]] = {"pack": Pack, "playback": Playback, "results": Results}
for name, model in MODELS.items():
    schema = json.dumps(model.model_json_schema(), indent=1)
    (commands.PAGE.parent / f"{name}.schema.json").write_text(f"{schema}\n")
with TemporaryDirectory() as folder:
    grades.draw(Path(folder))
