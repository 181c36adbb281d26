"""Write the pages that are generated from the code: commands and invariants."""

from tests.docs import commands, invariants

for module in (commands, invariants):
    module.PAGE.write_text(module.page())
