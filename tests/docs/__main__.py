"""Write the pages that are generated from the code, commands and invariants, and the pictures."""

from tests.docs import commands, invariants, pictures

for module in (commands, invariants):
    module.PAGE.write_text(module.page())
for path, svg in pictures.pictures().items():
    path.write_text(svg)
