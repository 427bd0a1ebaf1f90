"""Texts of drivers reach nobody raw: not UTF-8, too long or meant for a terminal, they are refused or spelt out."""

import pytest

from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError, failure
from nnvet.hal.types import DeviceType, ErrorStatus, Extension
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverCrash
from nnvet.transport.wire.methods import METHODS
from nnvet.transport.wire.texts import MAX_TEXT, one_line, several_lines
from tests.transport.wire_sessions import PATIENCE_S, WELCOME, Scripted, pack, session_with

NOT_UTF8 = b"\xc3\x28"
RAW = "a\x1b[2Jb\nc\0d\u202ee\udc80"
SPELT_OUT = r"a\x1b[2Jb\nc\x00d\u202ee\udc80"
HUGE = 20 << 20


class Talker(BaseDevice):
    """Says ``text`` in every place where a driver can say something."""

    text = ""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The text."""
        return self.text

    def get_version_string(self) -> str:
        """The text."""
        return self.text

    def get_supported_extensions(self) -> tuple[Extension, ...]:
        """The text twice."""
        return (Extension(self.text), Extension(self.text))

    def get_type(self) -> DeviceType:
        """Refuse with the text."""
        raise failure(self.text, self.text)

    def get_feature_level(self) -> int:  # type: ignore[override]
        """Fail with the text."""
        raise ValueError(self.text)


def talker(text: str) -> Talker:
    """A driver that says a text."""
    device = Talker()
    device.text = text
    return device


@pytest.mark.parametrize("text", ["Ünïcode 三", "", "x" * MAX_TEXT])
def test_decent_texts_arrive_as_they_are(text: str) -> None:
    """A text of printable characters that is not too long is the driver's own, in all places."""
    with session_with(talker(text)) as session:
        assert (session.device.name, session.device.get_version_string()) == (text, text)
        assert [extension.name for extension in session.device.get_supported_extensions()] == [text, text]
        with pytest.raises(HalError) as refused:
            session.device.get_type()
        assert (refused.value.message, refused.value.rule) == (text, text)


def test_control_characters_are_spelt_out() -> None:
    """Escape sequences, new lines, zeros, changes of direction: names, messages and rules show them, and do nothing."""
    raw, spelt_out = RAW.removesuffix("\udc80"), SPELT_OUT.removesuffix(r"\udc80")
    with session_with(talker(raw)) as session:
        assert (session.device.name, session.device.get_version_string()) == (spelt_out, spelt_out)
        assert [extension.name for extension in session.device.get_supported_extensions()] == [spelt_out] * 2
        with pytest.raises(HalError) as refused:
            session.device.get_type()
        assert (refused.value.message, refused.value.rule) == (spelt_out, spelt_out)
        with pytest.raises(HalError, match="ValueError") as raised:
            session.device.get_feature_level()
        assert raised.value.message.isprintable()


def test_texts_that_cannot_be_encoded() -> None:
    """A name with a lone surrogate is an answer that cannot be sent; a message with one arrives spelt out."""
    with session_with(talker(RAW)) as session:
        with pytest.raises(HalError) as nameless:
            _ = session.device.name
        assert nameless.value.rule == "driver/reply"
        with pytest.raises(HalError) as refused:
            session.device.get_type()
        assert refused.value.message == SPELT_OUT


def test_long_texts_are_cut() -> None:
    """Of 20 MiB the first characters arrive, and how many are missing; a name of that size is no answer at all."""
    with session_with(talker("x" * HUGE)) as session:
        with pytest.raises(HalError) as refused:
            session.device.get_type()
        assert refused.value.message == f"{'x' * (MAX_TEXT - 32)}… (of {HUGE} characters)"
        with pytest.raises(HalError) as nameless:
            _ = session.device.name
        assert (nameless.value.status, nameless.value.rule) == (ErrorStatus.GENERAL_FAILURE, "driver/reply")
        assert len(nameless.value.message) < MAX_TEXT
    with session_with(talker("x" * (MAX_TEXT + 1))) as session:
        assert session.device.name == f"{'x' * (MAX_TEXT - 32)}… (of {MAX_TEXT + 1} characters)"
    assert len(one_line("\0" * MAX_TEXT)) <= MAX_TEXT


@pytest.mark.parametrize("field", [1, 2], ids=["message", "rule"])
def test_a_refusal_that_is_not_utf8_is_no_reply(field: int) -> None:
    """A reply whose own texts are not UTF-8 ends the session, as any that is malformed."""
    texts = [b"\xa0", b"\xa0"]
    texts[field - 1] = b"\xa2" + NOT_UTF8
    with Scripted(WELCOME, lambda _, lane: lane.send(b"\x95\x04" + b"".join(texts) + b"\xc0\x01")) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        with pytest.raises(DriverCrash, match="not UTF-8"):
            session.device.get_type()
        session.close()


def test_a_result_that_is_not_utf8_is_a_wrong_answer() -> None:
    """A name that is not UTF-8 is an answer of a wrong type: it costs the call, not the session."""
    with Scripted(WELCOME, lambda _, lane: lane.send(b"\x95\x00\xa0\xa0\xa2" + NOT_UTF8 + b"\x01")) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        with pytest.raises(HalError, match="not UTF-8") as refused:
            _ = session.device.name
        assert refused.value.rule == "driver/reply"
        session.close()


def test_a_notification_that_is_not_utf8_ends_the_session() -> None:
    """The same on the primary: the client cannot know what else is wrong, and whoever waits is notified."""
    with Scripted(WELCOME, lambda primary, _: primary.send(b"\x94\x01\xa2" + NOT_UTF8 + b"\x90\x90")) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        with pytest.raises(DriverCrash):
            session.device.get_type()
        session.close()


def test_an_implementation_and_a_farewell_are_filtered() -> None:
    """So are the texts of the session itself."""
    with Scripted(pack(0, "", "", (2, "\x1b[2J"))) as service:
        session = Session(service.client, timeout_s=PATIENCE_S)
        assert session.implementation == r"\x1b[2J"
        session.close()
    with Scripted(pack(4, "\x1b[2J", "", None)) as service, pytest.raises(HalError) as refused:
        Session(service.client, timeout_s=PATIENCE_S)
    assert refused.value.message == r"\x1b[2J"


def test_output_keeps_its_lines() -> None:
    """A process's output has lines and tabs; the rest is spelt out as anywhere else."""
    assert several_lines("a\tb\n\x1b[31mred\r\n") == "a\tb\n\\x1b[31mred\\r\n"
    assert one_line("a\tb\n") == r"a\tb\n"


def test_all_texts_of_results_are_known() -> None:
    """The methods whose results hold texts, by the interfaces of the HAL."""
    assert {name for name, method in METHODS.items() if method.has_texts} == {
        "Device.name",
        "Device.get_version_string",
        "Device.get_supported_extensions",
        "BurstContext.explain",
    }
