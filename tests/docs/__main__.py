"""Write what is generated of the docs: pages of commands, fields and invariants, the schema of packs, and pictures."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from dealmill.pipeline.outputs.pack import Pack
from tests.docs import commands, fields, grades, invariants, pictures

for module in (commands, fields, invariants):
    module.PAGE.write_text(module.page())
for path, svg in pictures.pictures().items():
    path.write_text(svg)
(commands.PAGE.parent / "pack.schema.json").write_text(json.dumps(Pack.model_json_schema(), indent=1) + "\n")
with TemporaryDirectory() as folder:
    grades.draw(Path(folder))
