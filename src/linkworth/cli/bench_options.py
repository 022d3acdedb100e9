"""Options of network measurements."""

from typing import Any

from linkworth.bench.settings import BenchSettings, SizeTexts
from linkworth.cli.declared import options_of, struct_from
from linkworth.cli.option_group import OptionGroup
from linkworth.model.parameter import declared


def _settings(**given: Any) -> object:  # noqa: ANN401 (values of the options)
    from linkworth.bench import request

    texts = SizeTexts(**{each.name: given.pop(each.name) for each in declared(SizeTexts)})
    return request.with_sizes(struct_from(BenchSettings, given, {}), texts)


measuring_options = OptionGroup("settings", _settings, [*options_of(SizeTexts), *options_of(BenchSettings)])
"""Options of a verb that receives a BenchSettings."""
