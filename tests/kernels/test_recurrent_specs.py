"""The committed specs of recurrent operations are those that their scripts write."""

import pytest

from tests.golden import write_lstm_specs, write_quantized_lstm_specs, write_recurrent_specs
from tests.golden.spec_writer import SpecFile

FILES = [
    file for script in (write_lstm_specs, write_quantized_lstm_specs, write_recurrent_specs) for file in script.files()
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.name)
def test_spec_is_up_to_date(file: SpecFile) -> None:
    """A file of the corpus equals what the second implementation gives today."""
    assert file.path.read_text(encoding="utf-8") == file.text
