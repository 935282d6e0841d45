"""Why some figures stay behind the better peer's: expressions for the model, the tool and the figure,
and the reason, with what was measured. A reason that nothing needs fails, too."""

import re

REASONS = ()


def reason_for(model: str, tool: str, figure: str):
    """The number of the reason, or None."""
    for number, (models, tools, figures, _) in enumerate(REASONS):
        if all(map(re.fullmatch, (models, tools, figures), (model, tool, figure))):
            return number
    return None
